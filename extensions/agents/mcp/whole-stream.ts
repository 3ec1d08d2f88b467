const stream = /^\s*text\/event-stream\b/i;
const resumable = /(^|[\r\n])id:/;
const server_error = -32_000;

/**
 * A stream that ends without the answer to its request would be waited for until the time is up. An error follows at its end; the SDK
 * drops it if the answer came before. One with the ids of events may be resumed, and is left as it is.
 */
export function whole(answer: Response, asked: unknown): Response {
  const id = idOf(asked);
  if (id === undefined || !answer.body || !stream.test(answer.headers.get('content-type') ?? '')) return answer;
  let isResumable = false;
  const closing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      isResumable ||= resumable.test(new TextDecoder().decode(chunk));
      controller.enqueue(chunk);
    },
    flush(controller) {
      const error = { code: server_error, message: 'it ended its answer before it was whole' };
      if (!isResumable) controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`));
    },
  });
  return new Response(answer.body.pipeThrough(closing), answer);
}

/** The id of the request in the body that was sent; undefined if it is none. */
function idOf(body: unknown): unknown {
  const message = typeof body === 'string' ? (JSON.parse(body) as { id?: unknown; method?: unknown }) : undefined;
  return message?.method === undefined ? undefined : message.id;
}
