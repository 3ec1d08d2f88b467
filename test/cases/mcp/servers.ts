import { type Behaviour, echo } from '../../helpers/mcp-server.js';

/** A server whose tools AI employees use, and that departs from the standard, or uses what few do. */
export interface ServerCase {
  /** A claim. */
  name: string;
  /** The rule or the report behind it. */
  source: string;
  server: Behaviour;
  /** The names of its tools as models have them. Default: the one that says what it is given. */
  tools?: readonly string[];
  /** Why there are none. */
  fault?: RegExp;
  /** The result of its tool for `hi`. Default: `Echo: hi`. */
  gives?: { output?: string | RegExp; error?: RegExp; images?: readonly { mime_type: string; size: number }[] };
  /** How often a method was seen in the end. */
  seen?: Readonly<Record<string, number>>;
}

const transport = 'modelcontextprotocol.io/specification/2025-11-25/basic/transports';
const tools = 'modelcontextprotocol.io/specification/2025-11-25/server/tools';
const pages = 'modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination';
const rpcError = (message: string) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });
const messages = (...all: object[]) => all.map((each) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...each })}\n\n`).join('');
const named = (...names: string[]) => names.map((name) => ({ ...echo, name }));
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const seenDot = { mime_type: 'image/png', size: 68 };

export const serverCases: readonly ServerCase[] = [
  { name: 'a good server', source: transport, server: {}, seen: { 'notifications/cancelled': 0, initialize: 1 } },
  {
    name: 'a server that streams its answers',
    source: transport,
    server: { form: 'stream' },
    seen: { 'notifications/cancelled': 0 },
  },
  // Sessions.
  ...(
    [
      ['a forgotten session is initialised again, and the call repeated once', 404, rpcError('Session not found'), transport],
      ['a session may be forgotten without a body', 404, '', 'modelcontextprotocol/python-sdk#3556'],
      ['a session may be forgotten in a sentence', 400, rpcError('Bad Request: No valid session ID provided'), 'punkpeye/mcp-remote#106'],
      ['a session may be forgotten by a server that was moved', 503, '{"error":"unknown session"}', 'markmhendrickson/neotoma#1923'],
      ['a session may be gone', 410, 'Session expired', 'RFC 9110, 15.5.11'],
    ] as const
  ).map(([name, status, body, source]) => ({
    name,
    source,
    server: { forgets: { after: 1, status, body } },
    seen: { initialize: 2, 'tools/call': 2, DELETE: 1 },
  })),
  {
    name: 'a call to a server that forgets each session at once is retried once only',
    source: transport,
    server: { forgets: { after: 1, status: 404, body: '', times: 100 } },
    gives: { output: 'Echo: hi' },
  },
  {
    name: 'an error that does not name a session is not retried',
    source: transport,
    server: { forgets: { after: 1, status: 400, body: rpcError('Bad Request: the arguments are wrong') } },
    gives: { error: /the arguments are wrong/ },
    seen: { initialize: 1, 'tools/call': 1 },
  },
  {
    name: 'an internal server error is not retried, because the tool may have run',
    source: transport,
    server: { forgets: { after: 1, status: 500, body: 'session handler crashed' } },
    gives: { error: /crashed/ },
    seen: { initialize: 1, 'tools/call': 1 },
  },
  ...[405, 404, 500].map((deletion) => ({
    name: `a session that cannot be ended (${deletion}) is no fault`,
    source: transport,
    server: { deletion, forgets: { after: 100, status: 404, body: '' } },
    seen: { DELETE: 1 },
  })),
  // Notifications and types.
  ...(
    [
      [200, 'application/json', 'null', 'awslabs/mcp#3295'],
      [200, 'application/json', '{}', 'helidon-io/helidon-mcp#175'],
      [200, 'text/plain; charset=UTF-8', 'ok', 'modelcontextprotocol/java-sdk#748'],
      [204, undefined, undefined, 'modelcontextprotocol/typescript-sdk#1303'],
    ] as const
  ).map(([status, type, body, source]) => ({
    name: `a notification may be answered by ${status} and ${body ?? 'nothing'}`,
    source,
    server: { notification: { status, ...(type ? { type } : {}), ...(body ? { body } : {}) } },
  })),
  { name: 'a content type in capitals', source: 'RFC 9110, 8.3.1', server: { type: 'Application/JSON;Charset=UTF-8' } },
  { name: 'JSON without a content type', source: 'RFC 9110, 8.3', server: { type: null } },
  { name: 'JSON as plain text', source: 'modelcontextprotocol/java-sdk#748', server: { type: 'text/plain' } },
  { name: 'a stream as plain text', source: transport, server: { type: 'text/plain', form: 'stream' } },
  {
    name: 'a web page in place of an answer',
    source: transport,
    server: { refuses: { status: 200, body: '<!doctype html><p>Welcome', headers: { 'content-type': 'text/html' } } },
    fault: /does not answer with MCP.*text\/html/,
  },
  { name: 'a byte order mark before the JSON', source: 'RFC 8259, 8.1', server: { before: '\ufeff' } },
  // Streams.
  { name: 'events without a name', source: 'html.spec.whatwg.org, 9.2.6', server: { form: 'stream', event: '' } },
  { name: 'Windows line endings', source: 'html.spec.whatwg.org, 9.2.5', server: { form: 'stream', line_end: '\r\n' } },
  { name: 'comments before the answer', source: 'html.spec.whatwg.org, 9.2.6', server: { form: 'stream', before: ': ping\n\n: ping\n\n' } },
  {
    name: 'requests of the server before its answer',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping',
    server: {
      form: 'stream',
      before: messages({ id: 'p', method: 'ping' }, { id: 1, method: 'roots/list' }, { id: 2, method: 'sampling/createMessage' }),
    },
  },
  {
    name: 'unrequested progress, and a flood of change notifications',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress',
    server: {
      form: 'stream',
      before: messages(
        { method: 'notifications/progress', params: { progressToken: 'none', progress: 1 } },
        ...Array.from({ length: 50 }, () => ({ method: 'notifications/tools/list_changed' })),
        { method: 'notifications/message', params: { level: 'info', data: 'hello' } },
        { method: 'notifications/unheard_of' },
      ),
    },
    seen: { 'tools/list': 1 },
  },
  {
    name: 'lines within a stream that are not messages',
    source: transport,
    server: { form: 'stream', before: 'data: hello\n\ndata: {"jsonrpc":"2.0"}\n\nevent: endpoint\ndata: /messages\n\n' },
  },
  {
    name: 'a stream that ends without its answer fails at once',
    source: transport,
    server: { form: 'stream', ends_early: true },
    gives: { error: /ended its answer before it was complete/ },
  },
  { name: 'ids that come back as texts', source: 'jsonrpc.org/specification', server: { text_ids: true } },
  // The first answer.
  ...['2024-11-05', '2025-03-26', '2025-11-25'].map((protocolVersion) => ({
    name: `a server of version ${protocolVersion}`,
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle',
    server: { initialize: { protocolVersion } },
  })),
  {
    name: 'an unknown version is reported by name',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle',
    server: { initialize: { protocolVersion: '1999-12-31' } },
    fault: /1999-12-31/,
  },
  {
    name: 'a server that does not introduce itself',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle',
    server: { initialize: { serverInfo: null, capabilities: null } },
  },
  {
    name: 'a server that has no version of its own',
    source: 'modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle',
    server: { initialize: { serverInfo: { name: 'bare' } } },
  },
  // Ways to the server.
  ...[301, 302, 307, 308].map((status) => ({
    name: `a redirect (${status}) to the address with a slash is followed as it is`,
    source: 'f/mcptools#69',
    server: { redirect: { status, path: '/mcp/' } },
  })),
  {
    name: 'a rejected key is reported',
    source: 'RFC 9728',
    server: { refuses: { status: 401, body: '', headers: { 'www-authenticate': 'Bearer resource_metadata="https://x.example/m"' } } },
    fault: /rejected the credentials: check its headers/,
  },
  {
    name: 'an address without a server is reported',
    source: transport,
    server: { refuses: { status: 404, body: 'Not Found' } },
    fault: /no MCP server .* at its address/,
  },
  {
    name: 'a server of the older transport is reported',
    source: `${transport}: backwards compatibility`,
    server: { refuses: { status: 405, body: '' } },
    fault: /no MCP server \(streamable HTTP\)/,
  },
  // Lists.
  {
    name: 'the pages of a list are combined',
    source: pages,
    server: { pages: [{ tools: named('echo'), nextCursor: 'b' }, { tools: named('two') }] },
    tools: ['own__echo', 'own__two'],
    seen: { 'tools/list': 2 },
  },
  {
    name: 'the last page may have an empty cursor',
    source: pages,
    server: { pages: [{ tools: named('echo'), nextCursor: '' }] },
    seen: { 'tools/list': 1 },
  },
  {
    name: 'the last page may have null as its cursor',
    source: pages,
    server: { pages: [{ tools: named('echo'), nextCursor: null }] },
    seen: { 'tools/list': 1 },
  },
  {
    name: 'pages whose cursors repeat are read once',
    source: pages,
    server: {
      pages: [
        { tools: named('echo'), nextCursor: 'a' },
        { tools: named('two'), nextCursor: 'a' },
      ],
    },
    tools: ['own__echo', 'own__two'],
    seen: { 'tools/list': 2 },
  },
  {
    name: 'tool names that models do not accept are converted and stay distinct',
    source: tools,
    server: { tools: named('echo', 'a.b', 'a/b', '查询', '查找', 'x'.repeat(80), `${'x'.repeat(80)}y`) },
    tools: [
      'own__echo',
      'own__a_b',
      'own__a_b_c14cddc0',
      'own____',
      'own_____3003318e',
      `own__${'x'.repeat(59)}`,
      `own__${'x'.repeat(50)}_031bfe44`,
    ],
  },
  { name: 'a duplicate tool name counts once', source: tools, server: { tools: named('echo', 'echo') } },
  {
    name: 'a tool may have no schema, or one without a type',
    source: 'softwaremill/sttp-ai#521',
    server: { tools: [{ name: 'echo' }, { name: 'two', inputSchema: {} }, { name: 'three', inputSchema: null, description: null }] },
    tools: ['own__echo', 'own__two', 'own__three'],
  },
  {
    name: 'an entry that is not a tool does not affect the others',
    source: tools,
    server: { tools: [null, 7, 'echo', {}, { name: 5 }, { name: 'list', inputSchema: { type: 'array' } }, echo] },
  },
  { name: 'a list of tools that is not a list counts as empty', source: tools, server: { tools: 'none' }, tools: [] },
  // Results.
  { name: 'a result without content', source: tools, server: { result: {} }, gives: { output: '' } },
  { name: 'a result with null as its content', source: tools, server: { result: { content: null } }, gives: { output: '' } },
  {
    name: 'structured content alone',
    source: tools,
    server: { result: { structuredContent: { a: 1 } } },
    gives: { output: '{"a":1}' },
  },
  {
    name: 'structured content that is a list',
    source: tools,
    server: { result: { content: [], structuredContent: [1, 2] } },
    gives: { output: '[1,2]' },
  },
  { name: 'content that is a text', source: tools, server: { result: { content: 'plain' } }, gives: { output: 'plain' } },
  {
    name: 'content that is one block',
    source: tools,
    server: { result: { content: { type: 'text', text: 'one' } } },
    gives: { output: 'one' },
  },
  { name: 'content of texts', source: tools, server: { result: { content: ['a', 'b'] } }, gives: { output: 'a\nb' } },
  {
    name: 'an unknown type of content',
    source: tools,
    server: {
      result: {
        content: [
          { type: 'hologram', mimeType: 'x/holo', data: 'AAAA' },
          { type: 'text', text: 'seen' },
        ],
      },
    },
    gives: { output: '[hologram: x/holo, 3 bytes]\nseen' },
  },
  {
    name: 'a failure without a reason',
    source: tools,
    server: { result: { isError: true, content: [] } },
    gives: { error: /failed and gave no reason/ },
  },
  {
    name: 'a failure with structured content alone',
    source: tools,
    server: { result: { isError: true, structuredContent: { why: 'tired' } } },
    gives: { error: /tired/ },
  },
  {
    name: 'an error of the protocol',
    source: 'jsonrpc.org/specification',
    server: { error: { code: -32_602, message: 'no such thing' } },
    gives: { error: /no such thing/ },
  },
  {
    name: 'an error that is a text is not a message',
    source: 'jsonrpc.org/specification',
    server: { error: 'no such thing' },
    gives: { error: /not an MCP message/ },
  },
  {
    name: 'the model sees a picture and its name',
    source: tools,
    server: {
      result: {
        content: [
          { type: 'image', mimeType: 'image/png', data: dot },
          { type: 'text', text: 'a dot' },
        ],
      },
    },
    gives: { output: '[image: image/png, 68 bytes]\na dot', images: [seenDot] },
  },
  {
    name: 'a picture whose declared type is wrong gets its actual type',
    source: tools,
    server: { result: { content: [{ type: 'image', mimeType: 'image/jpeg', data: `data:image/jpeg;base64,${dot}` }] } },
    gives: { output: '[image: image/png, 68 bytes]', images: [seenDot] },
  },
  {
    name: 'the model sees a picture within a resource',
    source: tools,
    server: { result: { content: [{ type: 'resource', resource: { uri: 'file:///dot.png', mimeType: 'image/png', blob: dot } }] } },
    gives: { output: '[file: image/png, 68 bytes at file:///dot.png]', images: [seenDot] },
  },
  {
    name: 'content that models cannot see is named: sound, drawings, links',
    source: tools,
    server: {
      result: {
        content: [
          { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
          { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from('<svg/>').toString('base64') },
          { type: 'resource_link', name: 'a file', uri: 'file:///x' },
          { type: 'resource_link' },
          { type: 'image' },
        ],
      },
    },
    gives: {
      output:
        '[audio: audio/wav, 3 bytes]\n[image: image/svg+xml, 6 bytes]\n[a file: file:///x]\n[a resource: no address]\n[image: of an unknown type]',
    },
  },
  {
    name: 'four of many pictures are shown, and all are named',
    source: tools,
    server: { result: { content: Array.from({ length: 6 }, () => ({ type: 'image', mimeType: 'image/png', data: dot })) } },
    gives: { output: /^(\[image: image\/png, 68 bytes\]\n?){6}$/, images: [seenDot, seenDot, seenDot, seenDot] },
  },
];
