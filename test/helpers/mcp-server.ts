import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** How a scripted MCP server departs from a good one; all of it data. */
export interface Behaviour {
  /** Fields of the first answer that replace the usual ones; null removes one. */
  initialize?: Readonly<Record<string, unknown>>;
  /** How notifications are answered. Default: 202. */
  notification?: { status: number; type?: string; body?: string };
  /** The tools of the list. */
  tools?: unknown;
  /** Whole answers to requests for the list, by their number; the last one repeats. */
  pages?: readonly object[];
  /** The result of a call. */
  result?: unknown;
  /** The error of a call, in place of its result. */
  error?: unknown;
  /** Default `json`. */
  form?: 'json' | 'stream';
  /** The content type of an answer; null leaves it out. */
  type?: string | null;
  /** Text before and after an answer in its body. */
  before?: string;
  after?: string;
  /** The lines of an event before its data. Default: `event: message`. */
  event?: string;
  /** Ends of a stream's lines. */
  line_end?: string;
  /** Ids come back as texts. */
  text_ids?: boolean;
  /** A session is forgotten after so many requests, and then refused so. */
  forgets?: { after: number; status: number; body: string; times?: number };
  /** The address that is called redirects here. */
  redirect?: { status: number; path: string };
  /** The status of `DELETE`. Default 204. */
  deletion?: number;
  /** Every request is refused so. */
  refuses?: { status: number; body: string; headers?: Readonly<Record<string, string>> };
  /** The stream of a call ends without its answer. */
  ends_early?: boolean;
}

export interface ScriptedMcpServer {
  url: string;
  /** The methods of messages, and `DELETE`, in order. */
  readonly seen: readonly string[];
}

interface Message {
  id?: number | string;
  method?: string;
  params?: Readonly<Record<string, unknown>>;
}

export const echo = { name: 'echo', description: 'Says it', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
const introduction = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } };

/** Starts an MCP server over HTTP that behaves so, and ends it after the test. */
export async function startMcpServer(t: Pick<Test, 'teardown'>, behaviour: Behaviour): Promise<ScriptedMcpServer> {
  const scripted = new Scripted(behaviour);
  const server = createServer((request, response) => void scripted.receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen: scripted.seen };
}

class Scripted {
  readonly seen: string[] = [];
  readonly #behaviour: Behaviour;
  readonly #sessions = new Map<string, number>();
  #forgotten = 0;
  #listed = 0;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { redirect, refuses, deletion = 204 } = this.#behaviour;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (redirect && request.url !== redirect.path) return void response.writeHead(redirect.status, { location: redirect.path }).end();
    if (request.method !== 'POST') this.seen.push(request.method as string);
    if (request.method === 'DELETE') return void response.writeHead(deletion).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    this.seen.push(message.method ?? 'answer');
    if (refuses) return void response.writeHead(refuses.status, refuses.headers).end(refuses.body);
    this.#answer(message, { session: request.headers['mcp-session-id'] as string | undefined, response });
  }

  #answer(message: Message, { session, response }: { session: string | undefined; response: ServerResponse }): void {
    const { notification = { status: 202 }, forgets } = this.#behaviour;
    if (message.id === undefined || message.method === undefined) {
      return void response
        .writeHead(notification.status, notification.type ? { 'content-type': notification.type } : {})
        .end(notification.body);
    }
    if (message.method !== 'initialize' && forgets && this.#isForgotten(session)) {
      return void response.writeHead(forgets.status, { 'content-type': 'application/json' }).end(forgets.body);
    }
    if (message.method === 'initialize' && forgets) response.setHeader('mcp-session-id', this.#begin());
    this.#write(message, response);
  }

  #begin(): string {
    const session = randomUUID();
    this.#sessions.set(session, 0);
    return session;
  }

  #isForgotten(session = ''): boolean {
    const { after = 0, times = 1 } = this.#behaviour.forgets ?? {};
    const asked = (this.#sessions.get(session) ?? after) + 1;
    this.#sessions.set(session, asked);
    if (asked <= after || this.#forgotten >= times) return false;
    this.#forgotten += 1;
    return true;
  }

  #write({ id, method, params }: Message, response: ServerResponse): void {
    const { form = 'json', type, before = '', after = '', text_ids, ends_early } = this.#behaviour;
    const sent = type === undefined ? { json: 'application/json', stream: 'text/event-stream' }[form] : type;
    response.writeHead(200, sent === null ? {} : { 'content-type': sent });
    if (ends_early && method === 'tools/call') return void response.end(before);
    const text = JSON.stringify({ jsonrpc: '2.0', id: text_ids ? String(id) : id, ...this.#outcome(method as string, params) });
    response.end(before + (form === 'json' ? text : this.#event(text)) + after);
  }

  #event(data: string): string {
    const { event = 'event: message', line_end = '\n' } = this.#behaviour;
    return [...(event === '' ? [] : [event]), `data: ${data}`, '', ''].join(line_end);
  }

  #outcome(method: string, params: Message['params']): object {
    const { initialize = {}, tools = [echo], pages, result, error } = this.#behaviour;
    if (method === 'initialize') return { result: without({ ...introduction, ...initialize }) };
    if (method === 'tools/list') return { result: pages?.[Math.min(this.#listed++, pages.length - 1)] ?? { tools } };
    if (method !== 'tools/call') return { error: { code: -32_601, message: 'Method not found' } };
    if (error !== undefined) return { error };
    const { text = '' } = (params?.arguments ?? {}) as { text?: string };
    return { result: result === undefined ? { content: [{ type: 'text', text: `Echo: ${text}` }] } : result };
  }
}

function without(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
