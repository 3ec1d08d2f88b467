/** A request to the gateway as it goes over the wire, and the answer that clients of OpenAI can read. */
export interface RequestCase {
  /** A claim. */
  name: string;
  /** The rule or the report behind it. */
  source: string;
  method?: string;
  /** Below `/api/v1`. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Text, or JSON; the word `<employee>` is an AI employee's user name. */
  body?: string | object;
  /** Default: the token of a member. */
  token?: 'none' | 'wrong' | 'read only';
  status: number;
  /** Part of the answer's headers. */
  answers?: Readonly<Record<string, string | RegExp>>;
  /** Part of `error` in the answer. */
  error?: { code?: string | null; type?: string; param?: string | null; message?: RegExp };
}

const reference = 'platform.openai.com/docs/guides/error-codes';
const hello = { model: '<employee>', messages: [{ role: 'user', content: 'Hi' }] };

export const requestCases: readonly RequestCase[] = [
  {
    name: "an unknown path is refused in OpenAI's format",
    source: reference,
    method: 'POST',
    path: '/responses',
    body: { model: '<employee>', input: 'Hi' },
    status: 404,
    error: { code: 'not_found', type: 'invalid_request_error', param: null, message: /\/api\/v1\/chat\/completions/ },
  },
  {
    name: "embeddings are refused in OpenAI's format",
    source: reference,
    method: 'POST',
    path: '/embeddings',
    body: { model: '<employee>', input: 'Hi' },
    status: 404,
    error: { code: 'not_found' },
  },
  { name: "the root path is refused in OpenAI's format", source: reference, path: '', status: 404, error: { code: 'not_found' } },
  {
    name: 'an unknown path is refused without a token too',
    source: reference,
    path: '/files',
    token: 'none',
    status: 404,
    error: { code: 'not_found' },
  },
  {
    name: "a path below a known one is refused in OpenAI's format",
    source: reference,
    path: '/chat/completions/chatcmpl-1/messages',
    status: 404,
    error: { code: 'not_found' },
  },
  {
    name: 'another method is refused with the allowed methods',
    source: 'RFC 9110, 15.5.6',
    path: '/chat/completions',
    status: 405,
    answers: { allow: 'POST' },
    error: { code: 'method_not_allowed', type: 'invalid_request_error' },
  },
  {
    name: 'a model cannot be deleted',
    source: 'RFC 9110, 15.5.6',
    method: 'DELETE',
    path: '/models/anybody',
    status: 405,
    answers: { allow: 'GET, HEAD' },
    error: { code: 'method_not_allowed' },
  },
  {
    name: 'a missing key is an authentication error',
    source: reference,
    path: '/models',
    token: 'none',
    status: 401,
    answers: { 'www-authenticate': 'Bearer' },
    error: { code: 'invalid_api_key', type: 'authentication_error' },
  },
  {
    name: 'a wrong key is an authentication error',
    source: reference,
    method: 'POST',
    path: '/chat/completions',
    token: 'wrong',
    body: hello,
    status: 401,
    error: { code: 'invalid_api_key', type: 'authentication_error' },
  },
  {
    name: 'a key of a smaller scope is a permission error',
    source: reference,
    method: 'POST',
    path: '/chat/completions',
    token: 'read only',
    body: hello,
    status: 403,
    error: { code: 'scope_missing', type: 'permission_error' },
  },
  {
    name: "a body that is too large is refused in OpenAI's format",
    source: 'RFC 9110, 15.5.14',
    method: 'POST',
    path: '/chat/completions',
    headers: { 'content-length': String(21 * 1024 * 1024) },
    status: 413,
    error: { code: 'payload_too_large', type: 'invalid_request_error' },
  },
  {
    name: "a compressed body is refused in OpenAI's format",
    source: 'RFC 9110, 15.5.16',
    method: 'POST',
    path: '/chat/completions',
    headers: { 'content-encoding': 'gzip' },
    body: 'x',
    status: 415,
    error: { code: 'unsupported_media_type' },
  },
  {
    name: 'a body that is not JSON is refused',
    source: reference,
    method: 'POST',
    path: '/chat/completions',
    body: '{"model":',
    status: 400,
    error: { type: 'invalid_request_error', message: /JSON/ },
  },
  {
    name: 'a body with a byte order mark is read',
    source: 'RFC 8259, 8.1: a parser may ignore it',
    method: 'POST',
    path: '/chat/completions',
    body: `\ufeff${JSON.stringify(hello)}`,
    status: 200,
  },
  {
    name: 'a body of another content type is read as JSON',
    source: 'fetch.spec.whatwg.org: the default type of a text body',
    method: 'POST',
    path: '/chat/completions',
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
    body: hello,
    status: 200,
  },
  {
    name: 'an unknown model is reported with the code that clients expect',
    source: reference,
    method: 'POST',
    path: '/chat/completions',
    body: { ...hello, model: 'gpt-5' },
    status: 404,
    error: { code: 'model_not_found', message: /gpt-5/ },
  },
  {
    name: "a model with a slash in its name is not found, in OpenAI's format",
    source: 'docs.litellm.ai/docs/providers: names such as openai/gpt-4o',
    path: '/models/openai/gpt-4o',
    status: 404,
    error: { code: 'not_found' },
  },
  {
    name: 'a stream passes proxies piece by piece',
    source: 'nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering',
    method: 'POST',
    path: '/chat/completions',
    body: { ...hello, stream: true },
    status: 200,
    answers: { 'x-accel-buffering': 'no', 'cache-control': 'no-store, no-transform', 'content-type': /^text\/event-stream/ },
  },
];
