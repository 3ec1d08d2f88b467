import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  type Caller,
  type CatalogEntry,
  type DoorCall,
  type Failure,
  isFailure,
  type JsonSchema,
  type Log,
  type ProtocolDoor,
} from '../../../kernel/contract/index.js';
import { sentenceOf } from '../tools/failure.js';
import { effectOf, isToolFor, type OperationsOptions, plain, toolName } from '../tools/operations.js';

/** So many messages one request may carry. */
const longest_batch = 20;
/** By JSON-RPC: what is no JSON, what is no request, and what this server has for the rest. */
const rpc = { parse: -32_700, request: -32_600, params: -32_602, server: -32_000 };

/** The platform as an MCP server (streamable HTTP, without sessions: each request stands for itself). */
export const mcpDoor: ProtocolDoor = {
  path: '/api/mcp',
  methods: ['POST'],
  summary: 'The platform as an MCP server: every operation that is marked as a tool, as the member whose token it is.',
  refuse: ({ status, code, message }) => refusal(status, { code: rpc.server, message, data: { code } }),
};

const instructions = 'The tools are operations of a work platform. They act as the member whose token you use, with no more than it may.';

interface ServerOptions extends OperationsOptions {
  log: Log;
}

/** Answers MCP clients. The SDK is loaded when the first one comes. */
export class PlatformServer {
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  async answer(request: Request, call: DoorCall): Promise<Response> {
    const parsedBody = parse(await request.text());
    if (parsedBody === undefined) return refusal(400, { code: rpc.parse, message: 'The body is not valid JSON' });
    if (Array.isArray(parsedBody) && parsedBody.length > longest_batch)
      return refusal(400, { code: rpc.request, message: `A batch has at most ${longest_batch} messages` });
    const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
      '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
    );
    const transport = new Transport();
    const server = await this.#server(call);
    request.signal.addEventListener('abort', () => void server.close(), { once: true });
    await server.connect(transport as Parameters<Server['connect']>[0]);
    return transport.handleRequest(request, { parsedBody });
  }

  async #server(call: DoorCall): Promise<Server> {
    const { Server: SdkServer } = await import('@modelcontextprotocol/sdk/server/index.js');
    const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    // It asks its clients for nothing, so there is nothing to validate; the SDK's own validator takes long to make.
    const jsonSchemaValidator = { getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'unexpected' }) };
    const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator };
    const server = new SdkServer({ name: 'platform', version: '1' }, options);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.#entries(call.caller).map(toolOf) }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
      this.#call({ name: params.name, input: params.arguments ?? {}, signal }, call),
    );
    return server;
  }

  #entries(caller: Caller): CatalogEntry[] {
    const entries = this.#options.operations().filter((entry) => isToolFor(entry, caller));
    return [...new Map(entries.reverse().map((entry) => [toolName(entry.id), entry])).values()].reverse();
  }

  async #call({ name, input, signal }: { name: string; input: object; signal: AbortSignal }, call: DoorCall): Promise<CallToolResult> {
    const { McpError } = await import('@modelcontextprotocol/sdk/types.js');
    const entry = this.#entries(call.caller).find(({ id }) => name === id || name === toolName(id));
    if (!entry) throw new McpError(rpc.params, `There is no tool '${name.slice(0, 100)}' for this token`);
    const { request_id, agent } = call;
    try {
      const { body } = await this.#options.invoke(entry.id, input, { ...call.caller, door: 'mcp' }, { signal, request_id, agent });
      return resultOf(entry, body);
    } catch (fault) {
      if (isFailure(fault)) return failed(fault);
      // Of what ended because its client has left there is nothing to tell.
      signal.throwIfAborted();
      this.#options.log.error(`${entry.id} failed`, { request_id, fault });
      throw new McpError(rpc.server, `It failed inside the platform; its log has the cause under ${request_id}`, { request_id });
    }
  }
}

function toolOf(entry: CatalogEntry): Tool {
  const { id, summary, input, answer } = entry;
  const effect = effectOf(entry);
  return {
    name: toolName(id),
    title: id,
    description: summary,
    inputSchema: plain(input as JsonSchema) as Tool['inputSchema'],
    ...(isObject(answer) ? { outputSchema: plain(answer as JsonSchema) as NonNullable<Tool['outputSchema']> } : {}),
    annotations: { title: id, readOnlyHint: effect === 'read', destructiveHint: effect === 'dangerous', openWorldHint: false },
  };
}

/** MCP knows structured answers only where they are objects. */
function isObject(schema: object | undefined): boolean {
  return (schema as { type?: unknown } | undefined)?.type === 'object';
}

function resultOf({ answer }: CatalogEntry, body: unknown): CallToolResult {
  const text = body === undefined ? 'Done.' : JSON.stringify(body);
  const structured = isObject(answer) && typeof body === 'object' ? { structuredContent: JSON.parse(text) as Record<string, unknown> } : {};
  return { content: [{ type: 'text', text }], ...structured };
}

/** A failure of the tool, which the model reads and may do better by. */
function failed(failure: Failure): CallToolResult {
  const { code, details, retry_after } = failure;
  const message = sentenceOf(failure);
  // Not as structured content: clients hold that to the shape of the answer, of a failure too.
  const _meta = { code, ...(details ? { details } : {}), ...(retry_after === undefined ? {} : { retry_after }) };
  return { isError: true, content: [{ type: 'text', text: `${message} (${code})` }], _meta };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(status: number, error: object): Response {
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status });
}
