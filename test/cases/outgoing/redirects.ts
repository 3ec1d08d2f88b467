/** A request that is redirected, and what the server behind the redirect sees. */
export interface RedirectCase {
  name: string;
  source: string;
  status: 301 | 302 | 303 | 307 | 308;
  method: string;
  /** Whether the redirect leads to another origin. */
  away: boolean;
  headers: Readonly<Record<string, string>>;
  /** Sent headers that arrive; the others do not. */
  kept: readonly string[];
  /** The method and the body that arrive. */
  arrives: { method: string; body: string };
}

const keys = { authorization: 'Bearer secret', cookie: 'a=b', 'x-api-key': 'secret', 'api-key': 'secret', 'x-goog-api-key': 'secret' };
const harmless = { accept: 'application/json', 'accept-language': 'en' };
const typed = { 'content-type': 'text/plain' };

export const redirectCases: readonly RedirectCase[] = [
  {
    name: 'a redirect within an origin keeps method, body and headers',
    source: 'Fetch standard, HTTP-redirect fetch',
    status: 307,
    method: 'POST',
    away: false,
    headers: { ...keys, ...harmless, ...typed },
    kept: [...Object.keys(keys), ...Object.keys(harmless), 'content-type'],
    arrives: { method: 'POST', body: 'sent' },
  },
  {
    name: 'another origin gets no key, whatever its header is called',
    source: 'psf/requests#4716, nodejs/undici security advisory on cross-origin headers, axios/axios follow-redirects',
    status: 302,
    method: 'GET',
    away: true,
    headers: { ...keys, ...harmless },
    kept: Object.keys(harmless),
    arrives: { method: 'GET', body: '' },
  },
  {
    name: 'another origin gets no body if the method stays: 307',
    source: 'RFC 9110 15.4.8, curl/curl: credentials in a redirected POST',
    status: 307,
    method: 'POST',
    away: true,
    headers: { ...keys, ...harmless, ...typed },
    kept: Object.keys(harmless),
    arrives: { method: 'POST', body: '' },
  },
  {
    name: 'another origin gets no body if the method stays: 308',
    source: 'RFC 9110 15.4.9',
    status: 308,
    method: 'PUT',
    away: true,
    headers: { 'x-hub-signature-256': 'secret', 'x-webhook-token': 'secret', ...typed },
    kept: [],
    arrives: { method: 'PUT', body: '' },
  },
  {
    name: 'another origin gets no body of a PUT that stays a PUT after 302',
    source: 'Fetch standard: only POST becomes GET',
    status: 302,
    method: 'PUT',
    away: true,
    headers: { ...keys },
    kept: [],
    arrives: { method: 'PUT', body: '' },
  },
  {
    name: 'a POST that becomes a GET has no body and no content type',
    source: 'Fetch standard, HTTP-redirect fetch 12',
    status: 303,
    method: 'POST',
    away: false,
    headers: { ...keys, ...typed },
    kept: Object.keys(keys),
    arrives: { method: 'GET', body: '' },
  },
];
