const known = /^\s*(application\/json|text\/event-stream)\s*(;|$)/i;
const json = /^[\s\ufeff]*[[{]/;
const events = /^[\s\ufeff]*(:|(event|data|id|retry):)/;

/** The answer with the type that its first bytes show, if its own is none of the protocol's: some servers leave it out, or say text/plain. */
export async function typed(answer: Response): Promise<Response> {
  if (!answer.ok || answer.status === 202 || !answer.body || known.test(answer.headers.get('content-type') ?? '')) return answer;
  const reader = answer.body.getReader();
  const { value: first, done } = await reader.read();
  const type = first && shownType(new TextDecoder().decode(first.subarray(0, 256)));
  const headers = new Headers(answer.headers);
  if (type) headers.set('content-type', type);
  return new Response(done ? null : rest(first as Uint8Array, reader), { status: answer.status, headers });
}

function shownType(start: string): string | undefined {
  if (json.test(start)) return 'application/json';
  return events.test(start) ? 'text/event-stream' : undefined;
}

/** Returns a stream of the first piece and all that follows. */
function rest(first: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  let next: Uint8Array | undefined = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = next ?? (await reader.read()).value;
      next = undefined;
      if (value) controller.enqueue(value);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
