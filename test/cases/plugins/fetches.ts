/** A plugin's fetch and its outcome. `{url}` answers 100 bytes; `{url}/endless` never ends. */
export interface FetchCase {
  name: string;
  source: string;
  url: string;
  options: Readonly<Record<string, unknown>>;
  /** The code of the failure, or the status of the answer. */
  ends: string | number;
}

const types = 'a value of a wrong type compares with no number: nothing is larger than it';

export const fetchCases: readonly FetchCase[] = [
  {
    name: 'an ordinary fetch',
    source: 'the common case',
    url: '{url}/',
    options: { method: 'GET', headers: { accept: '*/*' }, timeout_ms: 5_000 },
    ends: 200,
  },
  { name: 'max_bytes as a text', source: types, url: '{url}/endless', options: { max_bytes: '1e12' }, ends: 'invalid_input' },
  { name: 'max_bytes as an object', source: types, url: '{url}/endless', options: { max_bytes: {} }, ends: 'invalid_input' },
  {
    name: 'max_bytes above the limit of the pipe',
    source: 'sizes are clamped',
    url: '{url}/endless',
    options: { max_bytes: 1e15 },
    ends: 'fetch_too_large',
  },
  { name: 'negative max_bytes', source: 'sizes are clamped', url: '{url}/', options: { max_bytes: -1 }, ends: 'fetch_too_large' },
  { name: 'null as max_bytes', source: types, url: '{url}/endless', options: { max_bytes: null }, ends: 'invalid_input' },
  { name: 'timeout_ms as a text', source: types, url: '{url}/', options: { timeout_ms: 'never' }, ends: 'invalid_input' },
  {
    name: 'timeout_ms above the limit of timers',
    source: 'https://nodejs.org/api/timers.html: a delay that is too large becomes 1',
    url: '{url}/',
    options: { timeout_ms: 1e15 },
    ends: 200,
  },
  { name: 'max_redirects as a list', source: types, url: '{url}/loop', options: { max_redirects: [] }, ends: 'invalid_input' },
  { name: 'redirects without end', source: 'sizes are clamped', url: '{url}/loop', options: { max_redirects: 1e9 }, ends: 'fetch_failed' },
  {
    name: 'an unknown value of redirect',
    source: 'https://fetch.spec.whatwg.org/#concept-request-redirect-mode',
    url: '{url}/',
    options: { redirect: 'error' },
    ends: 'invalid_input',
  },
  { name: 'headers as a text', source: types, url: '{url}/', options: { headers: 'a: b' }, ends: 'invalid_input' },
  { name: 'a header that is an object', source: types, url: '{url}/', options: { headers: { a: {} } }, ends: 'invalid_input' },
  {
    name: 'a thousand headers',
    source: 'CWE-770',
    url: '{url}/',
    options: { headers: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`x-${n}`, 'a'])) },
    ends: 'invalid_input',
  },
  {
    name: 'a header of a megabyte',
    source: 'CWE-770',
    url: '{url}/',
    options: { headers: { a: 'x'.repeat(1_000_000) } },
    ends: 'invalid_input',
  },
  { name: 'a header with a line break', source: 'CWE-113', url: '{url}/', options: { headers: { a: 'b\r\nc: d' } }, ends: 'fetch_bad_url' },
  {
    name: 'a method that is not a word',
    source: 'RFC 9110, 9.1',
    url: '{url}/',
    options: { method: 'GET / HTTP/1.1\r\nx' },
    ends: 'invalid_input',
  },
  { name: 'a method that is a number', source: types, url: '{url}/', options: { method: 7 }, ends: 'invalid_input' },
  { name: 'a gzip bomb', source: 'CWE-409', url: '{url}/bomb', options: {}, ends: 'fetch_too_large' },
  {
    name: 'many response headers',
    source: 'https://undici.nodejs.org/#/docs/api/Client: maxHeaderSize',
    url: '{url}/headers',
    options: {},
    ends: 'fetch_failed',
  },
];
