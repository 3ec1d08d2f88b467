import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Progress, Result } from '@modelcontextprotocol/sdk/types.js';
import type { Clock, Log } from '../../../kernel/contract/index.js';
import { countedFetch } from './counted-fetch.js';
import { isUnknownSession, withAdvice } from './faults.js';
import { type OfferedTool, readTools } from './offered.js';
import { ProgramTransport } from './program.js';
import { ReceiveBudget } from './receive-budget.js';
import type { ServerSettings } from './settings.js';
import { TolerantTransport } from './tolerant.js';

/**
 * Runs work with a signal that follows the outer one only while the work runs. The SDK's client never removes its listener from the signal
 * that it gets: on the outer one, listeners would pile up and cancel requests that have already succeeded.
 */
async function whileRunning<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  outer.throwIfAborted();
  const running = new AbortController();
  const abort = () => running.abort(outer.reason);
  outer.addEventListener('abort', abort, { once: true });
  try {
    return await work(running.signal);
  } finally {
    outer.removeEventListener('abort', abort);
  }
}

/** Limit for ending a session. A server that does not answer in time expires the session by itself. */
const ending_ms = 1_000;

/** Ends the session of a server over HTTP; servers need not support it. */
async function endSession(transport: Transport | undefined): Promise<void> {
  if (transport?.sessionId === undefined || !isTerminable(transport)) return;
  const ended = transport.terminateSession().catch(() => undefined);
  await Promise.race([ended, sleep(ending_ms, undefined, { ref: false })]);
}

function isTerminable(transport: Transport): transport is Transport & { terminateSession(): Promise<void> } {
  return 'terminateSession' in transport;
}

export interface ConnectionOptions {
  settings: ServerSettings;
  log: Log;
  clock: Clock;
  /** Guarded `fetch` to the network. */
  fetch: typeof globalThis.fetch;
  /** Called when the server announces that its tools have changed. */
  onToolsChanged?: () => void;
}

export interface CallOptions {
  signal: AbortSignal;
  timeout_ms: number;
  progress: (progress: Progress) => void;
}

/** Time limits for starting a program and for connecting to a remote server. A program may have to be downloaded first. */
const start_ms = { program: 60_000, remote: 15_000 };
/** Time that callers wait while a server starts. After it, calls fail at once until it has started. */
const max_start_wait_ms = 5_000;
/** Time limit for one page of the list of tools, and limit of pages. */
const list_ms = 8_000;
const max_pages = 10;
/** First back-off after a failure; doubled each time. */
const backoff_ms = 1_000;
const max_backoff_ms = 60_000;

/** Connection to one MCP server: opened at first use, kept open, and reopened after a loss. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #budget = new ReceiveBudget();
  #client: Promise<Client> | undefined;
  /** Start time of a connection attempt in progress. */
  #starting: number | undefined;
  #transport: Transport | undefined;
  #failures = 0;
  #retry_at = 0;
  #closed = false;
  #fault: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Returns the last failure until the server has answered again. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Lists the server's current tools in its order. */
  async tools(): Promise<OfferedTool[]> {
    const tools = await this.#request((client) => this.#list(client), { drop: true });
    this.#failures = 0;
    this.#fault = undefined;
    return tools;
  }

  async #list(client: Client): Promise<OfferedTool[]> {
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { settings, log } = this.#options;
    const tools: OfferedTool[] = [];
    const cursors = new Set<unknown>([undefined, null, '']);
    let cursor: string | undefined;
    for (let page = 0; page < max_pages; page += 1) {
      // Avoid the client's own method: it compiles schemas, including patterns, that the server chose.
      const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } };
      const found = await this.#budget.during(() => client.request(request, ResultSchema, { timeout: list_ms }));
      tools.push(
        ...readTools(found.tools, (name) => log.warn(`MCP server '${settings.name}': its tool '${name}' is malformed and was skipped`)),
      );
      // Some servers send an empty cursor with the last page, others repeat one for ever.
      if (cursors.has(found.nextCursor) || typeof found.nextCursor !== 'string') break;
      cursor = found.nextCursor;
      cursors.add(cursor);
    }
    return tools;
  }

  /** Calls a tool. Fails with the signal's reason, or with an error whose message people may see. */
  async call(name: string, input: object, { signal, timeout_ms, progress }: CallOptions): Promise<Result> {
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const request = { method: 'tools/call' as const, params: { name, arguments: input as Record<string, unknown> } };
    return this.#request((client) =>
      whileRunning(signal, (running) => {
        const options = { signal: running, timeout: timeout_ms, onprogress: progress };
        return this.#budget.during(() => client.request(request, ResultSchema, options));
      }),
    );
  }

  /**
   * Sends a request. If the server has forgotten the session, it has executed nothing: opens a new session and retries once. `drop`: closes
   * the connection if the request fails for another reason, so that the next one restarts the server.
   */
  async #request<T>(send: (client: Client) => Promise<T>, { drop = false } = {}): Promise<T> {
    const connected = this.#connected();
    const client = await connected;
    try {
      return await send(client);
    } catch (fault) {
      if (isUnknownSession(fault, client.transport?.sessionId)) {
        if (this.#client === connected) this.#client = undefined;
        return send(await this.#connected());
      }
      if (drop) await this.#drop(client);
      throw withAdvice(fault);
    }
  }

  /** Closes the connection for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await endSession(this.#transport);
    await this.#transport?.close();
    await this.#client?.catch(() => undefined);
  }

  /** Returns the connection, or opens one. Errors don't name the server, because their readers already do. */
  #connected(): Promise<Client> {
    const { clock } = this.#options;
    if (this.#closed) throw new Error('it was stopped');
    if (this.#starting !== undefined && clock.now() - this.#starting > max_start_wait_ms) throw new Error('it is still starting');
    if (this.#client) return this.#client;
    const left_ms = this.#retry_at - clock.now();
    if (left_ms > 0) throw new Error(`it failed; next attempt in ${Math.ceil(left_ms / 1000)} s`);
    this.#starting = clock.now();
    const client = this.#connect();
    this.#client = client;
    client.catch((fault: unknown) => this.#onLost(client, fault));
    return client;
  }

  async #connect(): Promise<Client> {
    const { Client: SdkClient } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { settings, log } = this.#options;
    const client = new SdkClient({ name: 'platform', version: '1' }, { capabilities: {} });
    client.onerror = (fault) => log.debug(`MCP server '${settings.name}': ${fault.message}`);
    const transport = await this.#open();
    this.#transport = transport;
    // It may have been closed while the SDK was loading.
    if (this.#closed) throw new Error('it was stopped');
    const timeout = 'command' in settings ? start_ms.program : start_ms.remote;
    await this.#budget
      .during(() => client.connect(new TolerantTransport(transport), { timeout }))
      .catch((fault: unknown) => {
        throw withAdvice(fault);
      });
    this.#starting = undefined;
    const current = this.#client;
    client.onclose = () => this.#onLost(current, new Error('it ended'));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#options.onToolsChanged?.());
    return client;
  }

  async #open(): Promise<Transport> {
    const { settings, log, fetch } = this.#options;
    if ('command' in settings) {
      const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const parse = (line: string) => [JSON.parse(line)].flat().map((message) => JSONRPCMessageSchema.parse(message));
      return new ProgramTransport({ settings, log, parse, budget: this.#budget });
    }
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const requestInit = { headers: { ...settings.headers } };
    const transport = new StreamableHTTPClientTransport(new URL(settings.url), { requestInit, fetch: countedFetch(fetch) });
    return transport as Transport;
  }

  async #drop(client: Client): Promise<void> {
    await client.close().catch(() => undefined);
  }

  /** Drops a lost connection. The next request reconnects after a growing back-off. */
  #onLost(client: Promise<Client> | undefined, fault: unknown): void {
    if (client === undefined || this.#client !== client) return;
    this.#client = undefined;
    this.#starting = undefined;
    if (this.#closed) return;
    const { settings, log, clock } = this.#options;
    const wait_ms = Math.min(backoff_ms * 2 ** this.#failures, max_backoff_ms);
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#retry_at = clock.now() + wait_ms;
    this.#fault = fault instanceof Error ? fault.message.slice(0, 300) : String(fault);
    log.warn(`MCP server '${settings.name}' is unavailable: ${this.#fault}`);
  }
}
