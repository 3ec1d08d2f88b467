import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest, Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  type Caller,
  type CatalogEntry,
  type DoorCall,
  type Failure,
  isFailure,
  type JsonSchema,
  type Log,
  type ProtocolDoor,
  type Step,
  untilAborted,
} from '../../../kernel/contract/index.js';
import { parseJson } from '../json.js';
import { protocols } from '../subjects.js';
import { closedSchema, effectOf, isClientToolFor, type OperationsOptions, standardSchema, toolName } from '../tools/operations.js';
import { publicMessage } from '../tools/output.js';
import { Cancellations, messagesOf } from './messages.js';

/** Format of an answer: one JSON text, or an event stream that starts at once and can carry progress. */
type Form = 'json' | 'stream';

/** Default `Accept`. Anything MCP clients send is accepted, although the standard (Streamable HTTP) requires both types. */
const anything = '*/*';

/**
 * Returns the format that an `Accept` header asks for (RFC 9110, 12.5.1); undefined if it admits neither. Streams only
 * if the header names them: clients that send a wildcard or nothing read JSON.
 */
function formOf(accept: string | null): Form | undefined {
  const ranges = new Map((accept?.trim() || anything).split(',').flatMap(rangeOf));
  if ((ranges.get('text/event-stream') ?? 0) > 0) return 'stream';
  const json = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get(anything) ?? 0;
  if (json > 0) return 'json';
  return (ranges.get('text/*') ?? 0) > 0 ? 'stream' : undefined;
}

/** Parses a media range and its weight. */
function rangeOf(text: string): [string, number][] {
  const [range = '', ...parameters] = text.toLowerCase().split(';');
  const weight = parameters.map((each) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(each)?.[1]).find((found) => found !== undefined);
  return [[range.trim(), weight === undefined ? 1 : Number(weight)]];
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const max_batch = 20;
/** Error codes of JSON-RPC; `server` marks the platform's own failures. */
const rpc = { parse: -32_700, request: -32_600, params: -32_602, server: -32_000 };
const session_header = 'mcp-session-id';

/**
 * The platform as an MCP server (streamable HTTP). Requests are stateless and may reach any instance: a session only
 * identifies its client's requests so that they can be cancelled.
 */
export const mcpDoor: ProtocolDoor = {
  id: 'mcp.request',
  subject: protocols,
  path: '/api/mcp',
  methods: ['POST'],
  summary: "The platform as an MCP server: offers what the token's member may do, such as sending messages, as tools.",
  example: () => {
    const structuredContent = { used: 2, limit: 0, ai_employees: 1 };
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
    return {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'members_seats', arguments: {} } },
      answer: { result: { content, structuredContent }, jsonrpc: '2.0', id: 1 },
    };
  },
  // A JSON answer is sent when its tool has ended; each operation has its own limit.
  timeout_ms: 7_200_000,
  refuse: ({ status, code, message }) => refusal(status, { code: rpc.server, message, data: { code } }),
};

const instructions = `\
The tools are operations of a work platform. They act as the member whose token you use, with that token's permissions.
Conversations are sessions; a room is a session of several people and AI employees. Everything you send is sent in the member's name.
AI employees answer after chat_send has returned: if its task_ids has a task, call tasks_get until the task has ended, then messages_list.`;

interface ServerOptions extends OperationsOptions {
  log: Log;
}

interface ParsedRequest {
  request: Request;
  body: unknown;
  form: Form;
  /** Whether it begins a session. */
  isFirst: boolean;
}

interface ToolCall {
  name: string;
  input: object;
  signal: AbortSignal;
  progress: ((step: Step) => void) | undefined;
}

/** Answers MCP clients. Loads the SDK with the first request. */
export class PlatformServer {
  readonly #options: ServerOptions;
  readonly #cancellations = new Cancellations();

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  async answer(request: Request, call: DoorCall): Promise<Response> {
    const form = formOf(request.headers.get('accept'));
    if (!form) return refusal(406, { code: rpc.server, message: 'Answers are application/json or text/event-stream' });
    const body = parseJson(await request.text());
    if (body === undefined) return refusal(400, { code: rpc.parse, message: 'The body is not valid JSON' });
    const messages = messagesOf(body);
    if (!messages) return refusal(400, { code: rpc.request, message: 'Each message needs "jsonrpc": "2.0"; a batch has at least one' });
    if (messages.length > max_batch) return refusal(400, { code: rpc.request, message: `A batch has at most ${max_batch} messages` });
    this.#cancellations.cancel(messages, originOf(request, call));
    const isFirst = messages.some(({ method }) => method === 'initialize');
    return this.#handle({ request, body: Array.isArray(body) ? messages : messages[0], form, isFirst }, call);
  }

  async #handle({ request, body, form, isFirst }: ParsedRequest, call: DoorCall): Promise<Response> {
    const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
      '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
    );
    const session = isFirst ? { sessionIdGenerator: randomUUID } : {};
    const transport = new Transport({ enableJsonResponse: form === 'json', ...session });
    const server = await this.#server(call, originOf(request, call).session);
    request.signal.addEventListener('abort', () => void server.close(), { once: true });
    await server.connect(transport as Parameters<Server['connect']>[0]);
    return transport.handleRequest(asStandard(request), { parsedBody: body });
  }

  async #server(call: DoorCall, session: string | undefined): Promise<Server> {
    const { Server: SdkServer } = await import('@modelcontextprotocol/sdk/server/index.js');
    const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    // The server never asks its clients for data, so there is nothing to validate; the SDK's own validator is slow to create.
    const jsonSchemaValidator = { getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'unexpected' }) };
    const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator };
    const server = new SdkServer({ name: 'platform', version: '1' }, options);
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => this.#list(params?.cursor, call));
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
      const key = { token_id: call.caller.token_id, session, id: extra.requestId };
      return this.#cancellations.during(key, extra.signal, (signal) =>
        this.#call({ name: params.name, input: params.arguments ?? {}, signal, progress: progressOf(extra) }, call),
      );
    });
    return server;
  }

  /** Lists all tools as one page, so no cursor is valid. */
  async #list(cursor: string | undefined, { caller }: DoorCall): Promise<{ tools: Tool[] }> {
    const { McpError } = await import('@modelcontextprotocol/sdk/types.js');
    if (cursor !== undefined) throw new McpError(rpc.params, 'Unknown cursor: all tools are on one page');
    return { tools: this.#entries(caller).map(toolOf) };
  }

  #entries(caller: Caller): CatalogEntry[] {
    const entries = this.#options.operations().filter((entry) => isClientToolFor(entry, caller));
    return [...new Map(entries.reverse().map((entry) => [toolName(entry.id), entry])).values()].reverse();
  }

  async #call({ name, input, signal, progress }: ToolCall, call: DoorCall): Promise<CallToolResult> {
    const { McpError } = await import('@modelcontextprotocol/sdk/types.js');
    const entry = this.#entries(call.caller).find(({ id }) => name === id || name === toolName(id));
    if (!entry) throw new McpError(rpc.params, `This token has no tool '${name.slice(0, 100)}'`);
    const { request_id, agent } = call;
    try {
      const running = this.#options.invoke(entry.id, input, { ...call.caller, door: 'mcp' }, { signal, request_id, agent, progress });
      const { body } = await untilAborted(running, signal);
      return resultOf(entry, body);
    } catch (fault) {
      if (isFailure(fault)) return failed(fault);
      // The client has disconnected or cancelled the call: that is not a failure.
      signal.throwIfAborted();
      this.#options.log.error(`${entry.id} failed`, { request_id, fault });
      throw new McpError(rpc.server, `Internal error; see the server log for request ${request_id}`, { request_id });
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
    inputSchema: closedSchema(input as JsonSchema) as Tool['inputSchema'],
    ...(isObject(answer) ? { outputSchema: standardSchema(answer as JsonSchema) as NonNullable<Tool['outputSchema']> } : {}),
    annotations: { title: id, readOnlyHint: effect === 'read', destructiveHint: effect === 'dangerous', openWorldHint: false },
  };
}

/** Returns whether a schema describes an object; MCP allows structured answers only for objects. */
function isObject(schema: object | undefined): boolean {
  return (schema as { type?: unknown } | undefined)?.type === 'object';
}

function resultOf({ answer }: CatalogEntry, body: unknown): CallToolResult {
  const text = body === undefined ? 'Done.' : JSON.stringify(body);
  const structured = isObject(answer) && typeof body === 'object' ? { structuredContent: JSON.parse(text) as Record<string, unknown> } : {};
  return { content: [{ type: 'text', text }], ...structured };
}

/** Converts a failure of the tool to a result that the model can read and act on. */
function failed(failure: Failure): CallToolResult {
  const { code, details, retry_after } = failure;
  const message = publicMessage(failure);
  // Not as structured content: clients validate that against the answer's schema, even for a failure.
  const _meta = { code, ...(details ? { details } : {}), ...(retry_after === undefined ? {} : { retry_after }) };
  return { isError: true, content: [{ type: 'text', text: `${message} (${code})` }], _meta };
}

function originOf({ headers }: Request, { caller }: DoorCall) {
  return { token_id: caller.token_id, session: headers.get(session_header) ?? undefined };
}

/** Copies the request with the headers that the SDK requires; the originals have been read by now. */
function asStandard({ url, method, headers: original, signal }: Request): Request {
  const headers = new Headers(original);
  headers.set('accept', 'application/json, text/event-stream');
  if (/^$|\bjson\b|^text\/plain\b/i.test(headers.get('content-type') ?? '')) headers.set('content-type', 'application/json');
  return new Request(url, { method, headers, signal });
}

/** Sends progress to clients that ask for it. Its value only rises, as the protocol requires, although each step counts from zero. */
function progressOf({ _meta, sendNotification }: Extra): ((step: Step) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return ({ doing, done, total }) => {
    progress += 1;
    const message = total > 0 ? `${doing}: ${done} of ${total} bytes` : doing;
    const sent = sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } });
    // Ignore clients that have disconnected.
    sent.catch(() => undefined);
  };
}

function refusal(status: number, error: object): Response {
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status });
}
