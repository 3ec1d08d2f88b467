import { ReceiveBudget } from './receive-budget.js';

type Fetch = typeof globalThis.fetch;

const max_redirects = 5;
const redirects: readonly number[] = [301, 302, 307, 308];

/** Wraps `fetch` for one server: counts the bytes of each answer, reads its type leniently, and sends nothing to other origins. */
export function countedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    // Unsolicited messages are not read, because tools are listed again when needed. A stream that was cut may be resumed.
    if ((init?.method ?? 'GET') === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    const answer = await fetchWithinOrigin(fetch, new URL(String(input)), init);
    if (!answer.body) return answer;
    const detected = await withDetectedType(new Response(counted(answer.body), answer));
    return init?.method === 'POST' && detected.ok ? withTruncationError(detected, init.body) : detected;
  };
}

/**
 * Follows redirects within the origin only: the headers may hold keys, which the standard would forward under all but
 * two names. Method and body stay the same: servers redirect an address without its trailing slash, some with a status
 * after which browsers would switch to GET.
 */
async function fetchWithinOrigin(fetch: Fetch, first: URL, init: RequestInit | undefined): Promise<Response> {
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
  const flow = new ReceiveBudget();
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

/**
 * Sets the type that the first bytes suggest if the declared type is not one of the protocol's: some servers omit it or
 * send text/plain.
 */
async function withDetectedType(answer: Response): Promise<Response> {
  if (!answer.ok || answer.status === 202 || !answer.body || known.test(answer.headers.get('content-type') ?? '')) return answer;
  const reader = answer.body.getReader();
  const { value: first, done } = await reader.read();
  const type = first && detectType(new TextDecoder().decode(first.subarray(0, 256)));
  const headers = new Headers(answer.headers);
  if (type) headers.set('content-type', type);
  return new Response(done ? null : resumed(first as Uint8Array, reader), { status: answer.status, headers });
}

function detectType(start: string): string | undefined {
  if (json.test(start)) return 'application/json';
  return events.test(start) ? 'text/event-stream' : undefined;
}

/** Returns a stream of the first piece and everything after it. */
function resumed(first: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
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
 * Appends an error to a stream that ends without an answer, because the SDK would otherwise wait until its time limit.
 * The SDK drops the error if the answer came before. A stream with event ids may be resumed and stays as it is.
 */
function withTruncationError(answer: Response, body: unknown): Response {
  const id = idOf(body);
  if (id === undefined || !answer.body || !stream.test(answer.headers.get('content-type') ?? '')) return answer;
  let isResumable = false;
  const closing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      isResumable ||= resumable.test(new TextDecoder().decode(chunk));
      controller.enqueue(chunk);
    },
    flush(controller) {
      const error = { code: server_error, message: 'it ended its answer before it was complete' };
      if (!isResumable) controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`));
    },
  });
  return new Response(answer.body.pipeThrough(closing), answer);
}

/** Returns the id of the request in the body; undefined if there is none. */
function idOf(body: unknown): unknown {
  const message = typeof body === 'string' ? (JSON.parse(body) as { id?: unknown; method?: unknown }) : undefined;
  return message?.method === undefined ? undefined : message.id;
}
