import { typed } from './answer-type.js';
import { Flow } from './flow.js';
import { whole } from './whole-stream.js';

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
