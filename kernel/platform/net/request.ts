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
/** Headers of the connection, which the client sets. */
const CONNECTION_HEADERS = [
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

/** Headers that identify nobody, and are forwarded to another origin. Any other may be a key. */
const SAFE = new Set(['accept', 'accept-language', 'content-language', 'content-type', 'range', 'user-agent']);
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type'];

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

/** Builds the first request of a call. */
export function readRequest(url: string, options: FetchOptions): Request {
  const method = (options.method ?? 'GET').toUpperCase();
  if (options.body !== undefined && ['GET', 'HEAD'].includes(method)) throw fail('fetch_bad_url', `A ${method} has no body`);
  return { url: readUrl(url), method, headers: readHeaders(options.headers ?? {}), body: options.body };
}

/**
 * Builds the request after a redirect (Fetch standard, HTTP-redirect fetch). Another origin gets only safe headers and no body:
 * otherwise a redirect could forward keys and content meant for the first origin.
 */
export function redirectRequest<Body>(request: Redirectable<Body>, status: number, location: string): Redirectable<Body> {
  const url = readUrl(location, request.url);
  const becomesGet = status === 303 ? !['GET', 'HEAD'].includes(request.method) : status <= 302 && request.method === 'POST';
  const isOther = !isSameOriginOrUpgrade(request.url, url);
  const body = becomesGet || isOther ? undefined : request.body;
  const headers = new Headers(request.headers);
  for (const header of [...headers.keys()]) if (isOther && !SAFE.has(header)) headers.delete(header);
  if (body === undefined) for (const header of BODY_HEADERS) headers.delete(header);
  return { url, method: becomesGet ? 'GET' : request.method, headers, body };
}

/** Returns whether two URLs have the same origin, or the same host with an upgrade to https. */
function isSameOriginOrUpgrade(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname);
}

function readHeaders(custom: Readonly<Record<string, string>>): Headers {
  try {
    const headers = new Headers({ 'user-agent': 'platform', ...custom });
    for (const header of CONNECTION_HEADERS) headers.delete(header);
    return headers;
  } catch (error) {
    throw fail('fetch_bad_url', 'A header of the request has a name or a value that cannot be sent', { cause: error });
  }
}
