import { ReceiveBudget } from './receive-budget.js';

type Fetch = typeof globalThis.fetch;

const max_redirects = 5;
const redirects: readonly number[] = [301, 302, 307, 308];

/**
 * Wraps `fetch` for the SDK's HTTP transport to one MCP server: limits the bytes of each answer, corrects a missing or wrong content type,
 * and sends nothing to other origins.
 */
export function countedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    // With a GET the SDK opens a stream for messages that the server sends unasked. The platform doesn't need them: it lists tools again
    // when it needs them. 405 tells the SDK that there is no such stream. A GET with an event id resumes an answer, so it is sent.
    if ((init?.method ?? 'GET') === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    const answer = await fetchWithinOrigin(fetch, new URL(String(input)), init);
    if (!answer.body) return answer;
    const detected = await withDetectedType(new Response(counted(answer.body), answer));
    return init?.method === 'POST' && detected.ok ? withTruncationError(detected, init.body) : detected;
  };
}

/**
 * Follows redirects within the origin only, because headers may hold keys and `fetch` would forward most of them to another origin. Repeats
 * the method and the body: servers redirect an address without its trailing slash, some with a status after which `fetch` would switch to
 * GET.
 */
async function fetchWithinOrigin(fetch: Fetch, address: URL, init: RequestInit | undefined): Promise<Response> {
  let url = address;
  for (let count = 0; count <= max_redirects; count += 1) {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (location === null || !redirects.includes(answer.status)) return answer;
    await answer.body?.cancel();
    url = new URL(location, url);
    if (url.origin !== address.origin) throw new Error(`it redirects to ${url.origin}, which is not followed`);
  }
  throw new Error(`it redirects more than ${max_redirects} times`);
}

/** Limits the bytes of one answer. */
function counted(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const budget = new ReceiveBudget();
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      budget.count(chunk.length);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(counter);
}

/** Content types of the protocol. */
const protocolType = /^\s*(application\/json|text\/event-stream)\s*(;|$)/i;
/** Beginnings of JSON and of an event stream. */
const jsonStart = /^[\s\ufeff]*[[{]/;
const eventStart = /^[\s\ufeff]*(:|(event|data|id|retry):)/;

/**
 * Sets the content type by the first bytes if the declared one is not the protocol's: some servers omit it or send text/plain. 202 has no
 * content.
 */
async function withDetectedType(answer: Response): Promise<Response> {
  if (!answer.ok || answer.status === 202 || !answer.body || protocolType.test(answer.headers.get('content-type') ?? '')) return answer;
  const reader = answer.body.getReader();
  const { value: first, done } = await reader.read();
  const type = first && detectType(new TextDecoder().decode(first.subarray(0, 256)));
  const headers = new Headers(answer.headers);
  if (type) headers.set('content-type', type);
  return new Response(done ? null : continued(first as Uint8Array, reader), { status: answer.status, headers });
}

function detectType(start: string): string | undefined {
  if (jsonStart.test(start)) return 'application/json';
  return eventStart.test(start) ? 'text/event-stream' : undefined;
}

/** Returns a stream of the first chunk, which was already read, and all that follow. */
function continued(first: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
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

const eventStreamType = /^\s*text\/event-stream\b/i;
/** A line with an event id: with it the SDK can resume a stream. */
const eventId = /[\r\n]id:/;
/** JSON-RPC's code for errors of a server's own. */
const server_error = -32_000;

/**
 * Appends a JSON-RPC error to the end of an event stream, because the SDK would wait until its time limit for an answer that the stream
 * left out. If the answer did come, the SDK ignores the error. A stream with event ids stays as it is: the SDK may resume it.
 */
function withTruncationError(answer: Response, body: unknown): Response {
  const id = requestId(body);
  if (id === undefined || !answer.body || !eventStreamType.test(answer.headers.get('content-type') ?? '')) return answer;
  let isResumable = false;
  // The end of what came before: a chunk may end within the line. The stream begins like a line.
  let end = '\n';
  const closing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = end + Buffer.from(chunk).toString('latin1');
      isResumable ||= eventId.test(text);
      end = text.slice(-3);
      controller.enqueue(chunk);
    },
    flush(controller) {
      const error = { code: server_error, message: 'it ended its answer before it was complete' };
      if (!isResumable) controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`));
    },
  });
  return new Response(answer.body.pipeThrough(closing), answer);
}

/** Returns the id of a JSON-RPC request; undefined for notifications and answers, which get none. */
function requestId(body: unknown): unknown {
  const message = typeof body === 'string' ? (JSON.parse(body) as { id?: unknown; method?: unknown }) : undefined;
  return message?.method === undefined ? undefined : message.id;
}
