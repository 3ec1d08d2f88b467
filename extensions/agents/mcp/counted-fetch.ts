import { Flow } from './flow.js';

type Fetch = typeof globalThis.fetch;

const most_redirects = 5;

/** The same `fetch` for one server: each answer's body is counted, and nothing is sent to anybody else. */
export function countedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    // Without a question a server has nothing to say; tools are listed anew where they are needed.
    if ((init?.method ?? 'GET') === 'GET') return new Response(null, { status: 405 });
    const answer = await followed(fetch, new URL(String(input)), init);
    return answer.body ? new Response(counted(answer.body), answer) : answer;
  };
}

/** Only within its origin: the headers may hold keys, which the standard would send on under any name but two. */
async function followed(fetch: Fetch, first: URL, init: RequestInit | undefined): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= most_redirects; redirects += 1) {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (location === null || ![307, 308].includes(answer.status)) return answer;
    await answer.body?.cancel();
    url = new URL(location, url);
    if (url.origin !== first.origin) throw new Error(`it redirects to ${url.origin}, which is not followed`);
  }
  throw new Error(`it redirects more than ${most_redirects} times`);
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
