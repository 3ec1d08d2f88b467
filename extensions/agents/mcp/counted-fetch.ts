import { Flow } from './flow.js';

type Fetch = typeof globalThis.fetch;

const max_redirects = 5;
const redirects: readonly number[] = [301, 302, 307, 308];

/** The same `fetch` for one server: each answer's body is counted, its type is read leniently, and nothing is sent to anybody else. */
export function countedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    // Messages that nobody asked for are not read: tools are listed again when they are needed. A stream that was cut may be resumed.
    if ((init?.method ?? 'GET') === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    const answer = await followed(fetch, new URL(String(input)), init);
    if (!answer.body) return answer;
    const sent = await typed(new Response(counted(answer.body), answer));
    return init?.method === 'POST' && sent.ok ? whole(sent, init.body) : sent;
  };
}

/**
 * Only within its origin: the headers may hold keys, which the standard would send on under any name but two. The request goes on as it
 * is: web servers answer so to an address without its last slash, some with a status after which browsers would ask with GET.
 */
async function followed(fetch: Fetch, first: URL, init: RequestInit | undefined): Promise<Response> {
  let url = first;
  for (let count = 0; count <= max_redirects; count += 1) {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (location === null || !redirects.includes(answer.status)) return answer;
    await answer.body?.cancel();
    url = new URL(location, url);
    if (url.origin !== first.origin) throw new Error(`it redirects to ${url.origin}, which is not followed`);
  }
  throw new Error(`it redirects more than ${max_redirects} times`);
}

function counted(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const flow = new Flow();
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      flow.count(chunk.length);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(counter);
}

const known = /^\s*(application\/json|text\/event-stream)\s*(;|$)/i;
const json = /^[\s\ufeff]*[[{]/;
const events = /^[\s\ufeff]*(:|(event|data|id|retry):)/;

/** The answer with the type that its first bytes show, if its own is none of the protocol's: some servers leave it out, or say text/plain. */
async function typed(answer: Response): Promise<Response> {
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

const stream = /^\s*text\/event-stream\b/i;
const resumable = /(^|[\r\n])id:/;
const server_error = -32_000;

/**
 * A stream that ends without the answer to its request would be waited for until the time is up. An error follows at its end; the SDK
 * drops it if the answer came before. One with the ids of events may be resumed, and is left as it is.
 */
function whole(answer: Response, asked: unknown): Response {
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
