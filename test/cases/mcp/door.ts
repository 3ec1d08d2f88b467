/** A request of a client to the platform's MCP door, as it goes over the wire, and the answer. */
export interface DoorCase {
  /** A claim. */
  name: string;
  /** The rule or the report behind it. */
  source: string;
  /** Default: POST. */
  method?: string;
  /** After `/api/mcp`. */
  suffix?: string;
  /** Beside the token and the usual content type; null leaves one out. */
  headers?: Readonly<Record<string, string | null>>;
  /** JSON, or text as it stands. Default: a request for the list of tools. */
  body?: unknown;
  status: number;
  answers?: Readonly<Record<string, string | RegExp>>;
  /** How the answer is written. */
  form?: 'json' | 'stream' | 'nothing';
  /** Part of the one message, or of each, that is answered. */
  message?: object;
}

const transport = 'modelcontextprotocol.io/specification/2025-11-25/basic/transports';
const lifecycle = 'modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle';
const rpc = 'jsonrpc.org/specification';
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const tools = { id: 1, result: { tools: [{ name: /./, inputSchema: { type: 'object' } }] } };
const call = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'by hand', version: '0' } },
});
const accepts = (accept: string | null, form: 'json' | 'stream', name: string, source: string): DoorCase => ({
  name,
  source,
  headers: { accept },
  status: 200,
  form,
  message: tools,
});

export const doorCases: readonly DoorCase[] = [
  accepts('application/json, text/event-stream', 'stream', 'a client that takes both gets a stream', transport),
  accepts('*/*', 'json', 'a wildcard gets JSON', 'RFC 9110, 12.5.1'),
  accepts(null, 'json', 'no Accept at all gets JSON', 'RFC 9110, 12.5.1; simonx1/ruby-mcp-client#29'),
  accepts(
    'application/json',
    'json',
    'JSON alone gets JSON',
    'modelcontextprotocol/modelcontextprotocol#490; anthropics/claude-code#45368',
  ),
  accepts('text/event-stream', 'stream', 'a stream alone gets a stream', 'modelcontextprotocol/python-sdk#2349; ComposioHQ/composio#2152'),
  accepts('application/*', 'json', 'a wildcard of subtypes gets JSON', 'RFC 9110, 12.5.1'),
  accepts('Application/JSON ;q=0.9 , */*; q=0.1', 'json', 'weights, blanks and capitals are read', 'RFC 9110, 12.4.2'),
  accepts('application/json, text/event-stream;q=0', 'json', 'a weight of nought excludes the stream', 'RFC 9110, 12.4.2'),
  accepts('text/event-stream, application/json', 'stream', 'the order of types does not matter', 'diillson/chatcli#916'),
  {
    name: 'a client that accepts neither JSON nor event streams is refused in JSON-RPC',
    source: 'RFC 9110, 15.5.7',
    headers: { accept: 'text/html' },
    status: 406,
    form: 'json',
    message: { id: null, error: { code: -32_000 } },
  },
  {
    name: 'a body without a content type is accepted',
    source: rpc,
    headers: { 'content-type': null },
    status: 200,
    message: tools,
  },
  {
    name: 'a content type in capitals with a charset is accepted',
    source: 'RFC 9110, 8.3.1',
    headers: { 'content-type': 'Application/JSON; Charset="UTF-8"' },
    status: 200,
    message: tools,
  },
  {
    name: 'another content type is refused in JSON-RPC',
    source: transport,
    headers: { 'content-type': 'application/xml' },
    status: 415,
    message: { id: null, error: { code: -32_000 } },
  },
  {
    name: 'a byte order mark before the body is skipped',
    source: 'RFC 8259, 8.1',
    body: `\ufeff${JSON.stringify(list)}`,
    status: 200,
    message: tools,
  },
  { name: 'a trailing slash in the address is ignored', source: 'f/mcptools#69', suffix: '/', status: 200, message: tools },
  {
    name: 'a query in the address is ignored',
    source: 'anthropics/claude-code#45368: addresses with a key in the query',
    suffix: '?key=x',
    status: 200,
    message: tools,
  },
  {
    name: 'a client that sends no version counts as an older client',
    source: transport,
    headers: { 'mcp-protocol-version': null },
    status: 200,
    message: tools,
  },
  {
    name: 'an older protocol version is supported',
    source: transport,
    headers: { 'mcp-protocol-version': '2025-03-26' },
    status: 200,
    message: tools,
  },
  {
    name: 'an unknown version is refused with a list of the supported ones',
    source: `${transport}; Effect-TS/effect#7388`,
    headers: { 'mcp-protocol-version': '2020-01-01' },
    status: 400,
    message: { error: { message: /2025-06-18/ } },
  },
  {
    name: 'an unknown version in the header is ignored in the first request',
    source: 'xpzouying/xiaohongshu-mcp#697',
    headers: { 'mcp-protocol-version': '2099-01-01' },
    body: initialize('2099-01-01'),
    status: 200,
    answers: { 'mcp-session-id': /^[0-9a-f-]{36}$/ },
    message: { id: 0, result: { protocolVersion: /^20\d\d-\d\d-\d\d$/, capabilities: { tools: {} }, serverInfo: { name: 'platform' } } },
  },
  ...['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map((version) => ({
    name: `a client of version ${version} is answered in it`,
    source: lifecycle,
    body: initialize(version),
    status: 200,
    message: { id: 0, result: { protocolVersion: version } },
  })),
  {
    name: 'an unknown session id is ignored, because requests are independent',
    source: 'diegosouzapw/OmniRoute#5957: sessions that a restart forgets',
    headers: { 'mcp-session-id': 'gone' },
    status: 200,
    message: tools,
  },
  {
    name: 'a notification is accepted without a response body',
    source: `${transport}; helidon-io/helidon-mcp#175`,
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    status: 202,
    form: 'nothing',
  },
  {
    name: 'an unknown notification is accepted without a response body',
    source: rpc,
    body: { jsonrpc: '2.0', method: 'notifications/weather', params: {} },
    status: 202,
    form: 'nothing',
  },
  {
    name: 'a response of the client is accepted without a response body',
    source: transport,
    body: { jsonrpc: '2.0', id: 7, result: {} },
    status: 202,
    form: 'nothing',
  },
  {
    name: 'the cancellation of a finished call is accepted without a response body',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation',
    headers: { 'mcp-session-id': 'any' },
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    status: 202,
    form: 'nothing',
  },
  {
    name: 'a batch is answered by a list',
    source: 'modelcontextprotocol.io/specification/2025-03-26/basic: batches',
    body: [list, { jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 'two', method: 'ping' }],
    status: 200,
    form: 'json',
    message: [{ id: 1 }, { id: 'two', result: {} }],
  },
  { name: 'an empty batch is an invalid request', source: rpc, body: [], status: 400, message: { id: null, error: { code: -32_600 } } },
  {
    name: 'a message of another protocol is an invalid request',
    source: rpc,
    body: { id: 1, method: 'tools/list' },
    status: 400,
    message: { id: null, error: { code: -32_600 } },
  },
  {
    name: 'a value that is not an object is an invalid request',
    source: rpc,
    body: '"tools/list"',
    status: 400,
    message: { error: { code: -32_600 } },
  },
  { name: 'a body that is not JSON is a parse error', source: rpc, body: '{"jsonrpc"', status: 400, message: { error: { code: -32_700 } } },
  {
    name: 'an unknown method is reported as not found',
    source: `${lifecycle}: some clients ask for what was not offered`,
    body: { jsonrpc: '2.0', id: 1, method: 'resources/list' },
    status: 200,
    message: { id: 1, error: { code: -32_601 } },
  },
  ...[0, -1, 'a', '1', 9_007_199_254_740_991].map((id) => ({
    name: `the id ${JSON.stringify(id)} comes back as it is`,
    source: rpc,
    body: { jsonrpc: '2.0', id, method: 'ping' },
    status: 200,
    message: { jsonrpc: '2.0', id, result: {} },
  })),
  {
    name: 'a request whose id is null is refused',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic: an id must not be null',
    body: { jsonrpc: '2.0', id: null, method: 'ping' },
    status: 400,
    message: { error: {} },
  },
  {
    name: 'an unknown cursor is refused',
    source: 'modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination',
    body: { ...list, params: { cursor: 'x' } },
    status: 200,
    message: { id: 1, error: { code: -32_602 } },
  },
  {
    name: 'a tool is found by the name of its operation too',
    source: 'modelcontextprotocol.io/specification/2025-11-25/server/tools: names may have dots',
    body: call({ name: 'members.list', arguments: { page: 1 } }),
    status: 200,
    message: { id: 1, result: { structuredContent: { items: [{ username: 'admin' }] } } },
  },
  {
    name: 'a call may omit its arguments',
    source: 'modelcontextprotocol.io/specification/2025-11-25/server/tools',
    body: call({ name: 'members_list' }),
    status: 200,
    message: { result: { structuredContent: { total: /./ } } },
  },
  {
    name: 'a call may have null as its arguments',
    source: `${rpc}: parameters may be left out, which some write as null`,
    body: call({ name: 'members_list', arguments: null }),
    status: 200,
    message: { result: { structuredContent: { total: /./ } } },
  },
  {
    name: 'the list of tools may be requested with null as its parameters',
    source: `${rpc}: parameters may be left out, which some write as null`,
    body: { ...list, params: null },
    status: 200,
    message: tools,
  },
  {
    name: 'a call may have a token for progress',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress',
    body: call({ name: 'members_list', arguments: {}, _meta: { progressToken: 0 } }),
    status: 200,
    message: { result: { structuredContent: { total: /./ } } },
  },
  {
    name: 'a call of an unknown tool is an error of the protocol',
    source: 'modelcontextprotocol.io/specification/2025-11-25/server/tools',
    body: call({ name: 'drop_tables', arguments: {} }),
    status: 200,
    message: { error: { code: -32_602, message: /drop_tables/ } },
  },
  {
    name: 'a stream for server requests is refused, because the platform sends none',
    source: transport,
    method: 'GET',
    headers: { accept: 'text/event-stream' },
    status: 405,
    answers: { allow: 'POST' },
    message: { jsonrpc: '2.0', id: null, error: { code: -32_000 } },
  },
  {
    name: 'deleting a session is refused, because the platform keeps none',
    source: transport,
    method: 'DELETE',
    headers: { 'mcp-session-id': 'any' },
    status: 405,
    answers: { allow: 'POST' },
    message: { jsonrpc: '2.0', id: null, error: { code: -32_000 } },
  },
  {
    name: 'a web page of another origin is refused',
    source: transport,
    headers: { origin: 'https://evil.example' },
    status: 403,
    message: { id: null, error: { data: { code: 'forbidden' } } },
  },
  {
    name: 'a page with a null origin is refused',
    source: transport,
    headers: { origin: 'null' },
    status: 403,
    message: { id: null, error: { data: { code: 'forbidden' } } },
  },
  {
    name: 'the answer to a request without a token names the kind of token',
    source: 'RFC 9728; RFC 6750, 3',
    headers: { authorization: null },
    status: 401,
    answers: { 'www-authenticate': 'Bearer' },
    message: { id: null, error: { data: { code: 'unauthenticated' } } },
  },
  {
    name: 'streams pass proxies piece by piece',
    source: 'nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering',
    headers: { accept: 'text/event-stream' },
    status: 200,
    answers: { 'x-accel-buffering': 'no', 'cache-control': 'no-store, no-transform' },
    form: 'stream',
  },
];
