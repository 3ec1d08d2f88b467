import type { RequestInit, Response } from 'undici';
import type { Clients } from './clients.js';
import { EventStream } from './event-stream.js';
import type { Client } from './exchange.js';
import { fail } from './failures.js';
import { REDIRECTS, type Redirectable, readUrl, redirectRequest } from './request.js';

type Sent = NonNullable<RequestInit['body']>;

const MAX_REDIRECTS = 20;

/** Creates a standard `fetch` behind the guard. Redirects to another origin carry no keys and no body, as for all outgoing requests. */
export function webFetch(clients: Clients, allow: readonly string[]): typeof globalThis.fetch {
  const fetch = async (input: string | URL, init: RequestInit = {}): Promise<unknown> => {
    const first = {
      url: readUrl(String(input)),
      method: (init.method ?? 'GET').toUpperCase(),
      headers: new Headers(init.headers as never),
    };
    const client = await clients.get(allow);
    let request: Redirectable<Sent> = { ...first, body: init.body ?? undefined };
    for (let redirects = 0; ; redirects += 1) {
      const response = await send(client, request, init);
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null || init.redirect === 'manual') return redirects === 0 ? response : redirected(response);
      await response.body?.cancel();
      if (redirects >= MAX_REDIRECTS || init.redirect === 'error')
        throw new TypeError('fetch failed', { cause: redirectFailure(request.url) });
      request = redirectRequest(request, response.status, location);
    }
  };
  // undici's Response and the runtime's are separate declarations of one standard. Client libraries pass no Request.
  return fetch as unknown as typeof globalThis.fetch;
}

async function send(client: Client, { url, method, headers, body }: Redirectable<Sent>, init: RequestInit): Promise<Response> {
  const events = new EventStream();
  const dispatcher = client.agent.compose((dispatch) => (options, handler) => dispatch(options, events.wrap(handler)));
  const request = {
    ...init,
    method,
    headers: [...headers] as [string, string][],
    body: body ?? null,
    redirect: 'manual' as const,
    dispatcher,
  };
  return withBody(await client.fetch(url, request), events, client);
}

function redirectFailure({ origin }: URL): Error {
  return fail('fetch_failed', `${origin} redirects although that was excluded, or too often`);
}

function redirected(response: Response): Response {
  return Object.defineProperty(response, 'redirected', { value: true });
}

/** Replaces the body of a response by the event stream, if it is one. */
function withBody(response: Response, events: EventStream, { Response: ResponseClass }: Client): Response {
  if (!events.body || !response.body) return response;
  events.follow(response.body);
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new ResponseClass(events.body, { status, statusText, headers }), 'url', { value: url });
}
