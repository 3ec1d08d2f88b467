/** A request and the line that the log has about it. */
export interface LineCase {
  name: string;
  source: string;
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  token?: 'admin' | 'member' | 'wrong';
  body?: object;
  status: number;
  /** The level of the line; undefined if there is none at this level of the log. */
  at_info?: 'info';
  at_debug: 'info' | 'debug';
  code?: string;
  /** The expected line, without the query and without secrets. */
  line: string;
}

const matters = 'OWASP Logging Cheat Sheet, events to log';
const redacted = 'CWE-532';

export const lineCases: readonly LineCase[] = [
  {
    name: 'a request without a token is logged at info',
    source: matters,
    method: 'GET',
    path: '/api/members',
    status: 401,
    at_info: 'info',
    at_debug: 'info',
    code: 'unauthenticated',
    line: 'GET /api/members 401',
  },
  {
    name: 'a wrong token is logged at info without its text',
    source: redacted,
    method: 'GET',
    path: '/api/members',
    token: 'wrong',
    status: 401,
    at_info: 'info',
    at_debug: 'info',
    code: 'invalid_token',
    line: 'GET /api/members 401',
  },
  {
    name: 'a failed login is logged at info, without name and password',
    source: matters,
    method: 'POST',
    path: '/api/auth/login',
    body: { username: 'sesame-name', password: 'sesame-password' },
    status: 401,
    at_info: 'info',
    at_debug: 'info',
    code: 'invalid_credentials',
    line: 'POST /api/auth/login 401',
  },
  {
    name: 'a refused administrator operation is logged at info with the calling member',
    source: matters,
    method: 'POST',
    path: '/api/members',
    token: 'member',
    body: {},
    status: 403,
    at_info: 'info',
    at_debug: 'info',
    code: 'forbidden',
    line: 'POST /api/members 403',
  },
  {
    name: 'a success is logged at debug',
    source: 'nginx.org: ngx_http_log_module',
    method: 'GET',
    path: '/api/members?keyword=sesame-word',
    token: 'admin',
    status: 200,
    at_debug: 'debug',
    line: 'GET /api/members 200',
  },
  {
    name: 'an invalid input is logged at debug',
    source: matters,
    method: 'GET',
    path: '/api/members/x',
    token: 'admin',
    status: 400,
    at_debug: 'debug',
    code: 'invalid_input',
    line: 'GET /api/members/x 400',
  },
  {
    name: 'an unknown path is logged at debug',
    source: matters,
    method: 'GET',
    path: '/api/nothing',
    status: 404,
    at_debug: 'debug',
    code: 'not_found',
    line: 'GET /api/… 404',
  },
  {
    name: 'a token in an unknown path is not logged',
    source: redacted,
    method: 'GET',
    path: '/sesame/stream/sesame-token',
    status: 404,
    at_debug: 'debug',
    code: 'not_found',
    line: 'GET /… 404',
  },
  {
    name: 'a token in a mistyped path of an extension is not logged',
    source: redacted,
    method: 'GET',
    path: '/api/members/sesame-token/sesame-other',
    status: 404,
    at_debug: 'debug',
    code: 'not_found',
    line: 'GET /api/members/… 404',
  },
  {
    name: 'a token in a path with a wrong method is not logged',
    source: redacted,
    method: 'POST',
    path: '/api/members/sesame-token',
    body: {},
    status: 405,
    at_debug: 'debug',
    code: 'method_not_allowed',
    line: 'POST /api/members/… 405',
  },
  {
    name: 'a token in a malformed path is not logged',
    source: redacted,
    method: 'GET',
    path: '/api/members/%ff-sesame',
    status: 400,
    at_debug: 'debug',
    code: 'malformed_request',
    line: 'GET /… 400',
  },
  {
    name: 'a token in the place of an id is redacted',
    source: redacted,
    method: 'GET',
    path: '/api/members/plat_sesame',
    token: 'admin',
    status: 400,
    at_debug: 'debug',
    code: 'invalid_input',
    line: 'GET /api/members/[redacted] 400',
  },
  {
    name: "refusals of another protocol's endpoint are logged too",
    source: matters,
    method: 'POST',
    path: '/api/mcp',
    body: {},
    status: 401,
    at_info: 'info',
    at_debug: 'info',
    code: 'unauthenticated',
    line: 'POST /api/mcp 401',
  },
  {
    name: 'a token in a query is not logged',
    source: redacted,
    method: 'GET',
    path: '/api/chat/stream?session_id=x&token=plat_sesame',
    status: 401,
    at_info: 'info',
    at_debug: 'info',
    code: 'invalid_token',
    line: 'GET /api/chat/stream 401',
  },
  {
    name: 'the platform’s own paths are logged at debug',
    source: 'nginx.org: ngx_http_log_module',
    method: 'GET',
    path: '/healthz',
    status: 200,
    at_debug: 'debug',
    line: 'GET /healthz 200',
  },
];
