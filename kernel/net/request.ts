import type { FetchOptions } from '../contract/extension.js';
import { fail } from './failures.js';

/** One request of a call. */
export interface Request {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

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

/** The next request (Fetch standard, HTTP-redirect fetch): what is secret stays with its origin. */
export function redirectRequest(request: Request, status: number, location: string): Request {
  const url = readUrl(location, request.url);
  const headers = new Headers(request.headers);
  if (url.origin !== request.url.origin) for (const header of ['authorization', 'cookie']) headers.delete(header);
  const becomesGet = status === 303 ? !['GET', 'HEAD'].includes(request.method) : status <= 302 && request.method === 'POST';
  if (!becomesGet) return { ...request, url, headers };
  for (const header of ['content-encoding', 'content-language', 'content-location', 'content-type']) headers.delete(header);
  return { url, method: 'GET', headers, body: undefined };
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
