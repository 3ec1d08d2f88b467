import type { FetchOptions } from '../../contract/extension.js';
import { fail } from './failures.js';

/** A request that may be redirected. */
export interface Redirectable<Body> {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Body | undefined;
}

/** One request of a call. */
export type Request = Redirectable<string | Uint8Array>;

export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const MAX_URL = 8_192;
/** Of the connection, not of the request: the client sets them. */
const NOT_OURS = [
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Say nothing of who asks: they go along to another origin. What else there is may be a key. */
const SAFE = new Set(['accept', 'accept-language', 'content-language', 'content-type', 'range', 'user-agent']);
const OF_BODIES = ['content-encoding', 'content-language', 'content-location', 'content-type'];

/** Reads an absolute http or https URL without credentials, or fails with `fetch_bad_url`. */
export function readUrl(text: string, base?: URL): URL {
  if (text.length > MAX_URL) throw fail('fetch_bad_url', `A URL may have ${MAX_URL} characters but has ${text.length}`);
  if (!URL.canParse(text, base?.href)) throw fail('fetch_bad_url', `Not a URL: '${text.slice(0, 100)}'`);
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw fail('fetch_bad_url', `A URL must be http or https but is '${url.protocol}'`);
  if (url.username || url.password) throw fail('fetch_bad_url', `The URL of '${url.host}' may not carry a user name or password`);
  return url;
}

/** The first request of a call. */
export function readRequest(url: string, options: FetchOptions): Request {
  const method = (options.method ?? 'GET').toUpperCase();
  if (options.body !== undefined && ['GET', 'HEAD'].includes(method)) throw fail('fetch_bad_url', `A ${method} has no body`);
  return { url: readUrl(url), method, headers: readHeaders(options.headers ?? {}), body: options.body };
}

/**
 * The next request (Fetch standard, HTTP-redirect fetch). Another origin gets no headers but the safe ones, and no body: whoever
 * redirects would otherwise pass on keys and contents that were meant for it alone.
 */
export function redirectRequest<Body>(request: Redirectable<Body>, status: number, location: string): Redirectable<Body> {
  const url = readUrl(location, request.url);
  const becomesGet = status === 303 ? !['GET', 'HEAD'].includes(request.method) : status <= 302 && request.method === 'POST';
  const isOther = !isSameParty(request.url, url);
  const body = becomesGet || isOther ? undefined : request.body;
  const headers = new Headers(request.headers);
  for (const header of [...headers.keys()]) if (isOther && !SAFE.has(header)) headers.delete(header);
  if (body === undefined) for (const header of OF_BODIES) headers.delete(header);
  return { url, method: becomesGet ? 'GET' : request.method, headers, body };
}

/** The same origin, or the same host that asks for https in place of http. */
function isSameParty(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname);
}

function readHeaders(given: Readonly<Record<string, string>>): Headers {
  try {
    const headers = new Headers({ 'user-agent': 'platform', ...given });
    for (const header of NOT_OURS) headers.delete(header);
    return headers;
  } catch (error) {
    throw fail('fetch_bad_url', 'A header of the request has a name or a value that can not be sent', { cause: error });
  }
}
