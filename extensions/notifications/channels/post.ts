import { type Clock, type Context, isFailure } from '../../../kernel/contract/index.js';
import { Undelivered } from './channel.js';

export interface PostRequest {
  url: string;
  /** A JSON text. */
  body: string;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Maximum number of redirects followed that keep the method (307, 308). Default 0. */
  redirects?: number;
}

/** The response, whatever its status. */
export interface PostResponse {
  readonly status: number;
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Posts JSON. Throws {@link Undelivered} if there is no response; its message includes only the host. */
export type Post = (request: PostRequest) => Promise<PostResponse>;

/** Limit of a response; no vendor sends more. */
const max_bytes = 1024 * 1024;
const json = { 'content-type': 'application/json; charset=utf-8', accept: 'application/json, text/plain;q=0.9, */*;q=0.8' };

export interface PostOptions {
  fetch: Context['fetch'];
  clock: Clock;
  /** Time limit of the whole request. */
  timeout_ms: number;
}

export function createPost({ fetch, clock, timeout_ms }: PostOptions): Post {
  return async (posting) => {
    const deadline = clock.now() + timeout_ms;
    let url = posting.url;
    for (let redirects_left = posting.redirects ?? 0; ; redirects_left -= 1) {
      const answer = await postOnce({ ...posting, url }, Math.max(deadline - clock.now(), 1));
      const next = redirects_left > 0 ? nextUrl(answer, url) : undefined;
      if (next === undefined) return answer;
      url = next;
    }
  };

  async function postOnce({ url, body, headers, signal }: PostRequest, remaining_ms: number): Promise<PostResponse> {
    try {
      const options = { method: 'POST', headers: { ...json, ...headers }, body, redirect: 'manual', signal } as const;
      const answer = await fetch(url, { ...options, timeout_ms: remaining_ms, max_bytes });
      return { status: answer.status, headers: answer.headers, text: answer.body.toString() };
    } catch (thrown) {
      throw toUndelivered(thrown, { host: new URL(url).host, timeout_ms, signal });
    }
  }
}

/** Redirects that keep the method; with a GET nothing would be delivered. */
function nextUrl({ status, headers }: PostResponse, url: string): string | undefined {
  const { location } = headers;
  if ((status !== 307 && status !== 308) || location === undefined || !URL.canParse(location, url)) return undefined;
  const next = new URL(location, url);
  // Never downgrades from https to http.
  return next.protocol === 'http:' && url.startsWith('https:') ? undefined : next.href;
}

interface Attempt {
  host: string;
  timeout_ms: number;
  signal: AbortSignal;
}

function toUndelivered(thrown: unknown, { host, timeout_ms, signal }: Attempt): Undelivered {
  if (signal.aborted) return new Undelivered(`The delivery to ${host} was cancelled`, { cause: thrown });
  switch (isFailure(thrown) ? thrown.code : undefined) {
    case 'fetch_timeout':
      return new Undelivered(`${host} did not answer within ${timeout_ms} ms`, { cause: thrown });
    case 'fetch_address_refused':
      return new Undelivered(`${host} is a private address; an administrator can allow it in the setting fetch_allow`, {
        retry: false,
        cause: thrown,
      });
    case 'fetch_too_large':
      return new Undelivered(`${host} answered with more than ${max_bytes} bytes: this is not an address for notifications`, {
        retry: false,
      });
    case 'fetch_bad_url':
      // The message may include the address.
      return new Undelivered(`The address on ${host} cannot be called`, { retry: false });
    default:
      return new Undelivered(`${host} could not be reached, or closed the connection`, { cause: thrown });
  }
}
