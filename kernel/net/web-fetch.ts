import type { Response } from 'undici';
import type { Clients } from './clients.js';
import { EventStream } from './event-stream.js';
import type { Client } from './exchange.js';
import { readUrl } from './request.js';

/** The standard's `fetch` by a client behind the guard. */
export function webFetch(clients: Clients, allow: readonly string[]): typeof globalThis.fetch {
  const fetch = async (input: string | URL, init: object = {}): Promise<unknown> => {
    const url = readUrl(String(input));
    const client = await clients.get(allow);
    const events = new EventStream();
    const dispatcher = client.agent.compose((dispatch) => (options, handler) => dispatch(options, events.between(handler)));
    return withBody(await client.fetch(url, { ...init, dispatcher }), events, client);
  };
  // The package's Response and the runtime's are two declarations of one standard. Client libraries pass no Request.
  return fetch as unknown as typeof globalThis.fetch;
}

/** The same response with the events as its body, where there are some. */
function withBody(response: Response, events: EventStream, { Response: Made }: Client): Response {
  if (!events.body || !response.body) return response;
  events.follow(response.body);
  const { status, statusText, headers, url, redirected } = response;
  return Object.defineProperties(new Made(events.body, { status, statusText, headers }), {
    url: { value: url },
    redirected: { value: redirected },
  });
}
