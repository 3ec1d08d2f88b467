import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Progress, Result } from '@modelcontextprotocol/sdk/types.js';
import type { Clock, Log } from '../../../kernel/contract/index.js';
import { countedFetch } from './counted-fetch.js';
import { explained, isForgotten } from './faults.js';
import { Flow } from './flow.js';
import { type OfferedTool, readTools } from './offered.js';
import { ProgramTransport } from './program.js';
import type { ServerSettings } from './settings.js';
import { TolerantTransport } from './tolerant.js';

/**
 * Gives work a signal that aborts as the outer one does, until the work has ended. Whoever listens to it for ever, as the SDK's client
 * does, neither keeps the outer signal's listeners nor cancels what has succeeded.
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

/** A server that does not answer in time forgets the session by itself. */
const ending_ms = 1_000;

/** Tells a server over HTTP that its session has ended; servers need not support it. */
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
  /** The guarded way out to the network. */
  fetch: typeof globalThis.fetch;
  /** Told when the server says that its tools have changed, as often as it says so. */
  changed?: () => void;
}

export interface CallOptions {
  signal: AbortSignal;
  timeout_ms: number;
  progress: (progress: Progress) => void;
}

/** A program may have to be downloaded first. */
const start_ms = { program: 60_000, remote: 15_000 };
/** So long a start may hold up who asks; afterwards others don't wait for it. */
const patient_ms = 5_000;
const list_ms = 8_000;
const max_pages = 10;
/** After a failure nothing is tried for so long; doubled each time. */
const pause_ms = 1_000;
const max_pause_ms = 60_000;

/** One MCP server: reached when it is first needed, kept, and reached anew after it was lost. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #flow = new Flow();
  #client: Promise<Client> | undefined;
  /** Since when it has been starting. */
  #starting: number | undefined;
  #transport: Transport | undefined;
  #failures = 0;
  #not_before = 0;
  #closed = false;
  #fault: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Why it was lost last, until it has answered again. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** All that it offers now, in its order. */
  async tools(): Promise<OfferedTool[]> {
    const tools = await this.#asked((client) => this.#list(client), { drop: true });
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
      // Not the client's own method: that compiles schemas, patterns included, which the server chose.
      const asked = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } };
      const found = await this.#flow.question(() => client.request(asked, ResultSchema, { timeout: list_ms }));
      tools.push(
        ...readTools(found.tools, (name) => log.warn(`MCP server '${settings.name}': its tool '${name}' cannot be read, and is left out`)),
      );
      // Some servers give the last page an empty cursor, others the same one for ever.
      if (cursors.has(found.nextCursor) || typeof found.nextCursor !== 'string') break;
      cursor = found.nextCursor;
      cursors.add(cursor);
    }
    return tools;
  }

  async call(name: string, input: object, { signal, timeout_ms, progress }: CallOptions): Promise<Result> {
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const asked = { method: 'tools/call' as const, params: { name, arguments: input as Record<string, unknown> } };
    return this.#asked((client) =>
      whileRunning(signal, (running) => {
        const options = { signal: running, timeout: timeout_ms, onprogress: progress };
        return this.#flow.question(() => client.request(asked, ResultSchema, options));
      }),
    );
  }

  /** Asks the server. One that has forgotten its session is initialised again and asked once more: it has done nothing. */
  async #asked<T>(ask: (client: Client) => Promise<T>, { drop = false } = {}): Promise<T> {
    const connected = this.#connected();
    const client = await connected;
    try {
      return await ask(client);
    } catch (fault) {
      if (isForgotten(fault, client.transport?.sessionId)) {
        if (this.#client === connected) this.#client = undefined;
        return ask(await this.#connected());
      }
      // A server that doesn't even list its tools is restarted.
      if (drop) await this.#drop(client);
      throw explained(fault);
    }
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await endSession(this.#transport);
    await this.#transport?.close();
    await this.#client?.catch(() => undefined);
  }

  #connected(): Promise<Client> {
    const { settings, clock } = this.#options;
    if (this.#closed) throw new Error(`MCP server '${settings.name}' was stopped`);
    if (this.#starting !== undefined && clock.now() - this.#starting > patient_ms)
      throw new Error(`MCP server '${settings.name}' is still starting`);
    if (this.#client) return this.#client;
    const left_ms = this.#not_before - clock.now();
    if (left_ms > 0) throw new Error(`MCP server '${settings.name}' has failed; it is tried again in ${Math.ceil(left_ms / 1000)} s`);
    this.#starting = clock.now();
    const client = this.#connect();
    this.#client = client;
    client.catch((fault: unknown) => this.#lost(client, fault));
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
    // It may have been closed while the SDK was loaded.
    if (this.#closed) throw new Error('it was stopped');
    const timeout = 'command' in settings ? start_ms.program : start_ms.remote;
    await this.#flow
      .question(() => client.connect(new TolerantTransport(transport), { timeout }))
      .catch((fault: unknown) => {
        throw explained(fault);
      });
    this.#starting = undefined;
    const own = this.#client;
    client.onclose = () => this.#lost(own, new Error('it ended'));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#options.changed?.());
    return client;
  }

  async #open(): Promise<Transport> {
    const { settings, log, fetch } = this.#options;
    if ('command' in settings) {
      const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const parse = (line: string) => [JSON.parse(line)].flat().map((message) => JSONRPCMessageSchema.parse(message));
      return new ProgramTransport({ settings, log, parse, flow: this.#flow });
    }
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const requestInit = { headers: { ...settings.headers } };
    const transport = new StreamableHTTPClientTransport(new URL(settings.url), { requestInit, fetch: countedFetch(fetch) });
    return transport as Transport;
  }

  async #drop(client: Client): Promise<void> {
    await client.close().catch(() => undefined);
  }

  /** From the next question on it is reached anew, after a pause that grows. */
  #lost(client: Promise<Client> | undefined, fault: unknown): void {
    if (client === undefined || this.#client !== client) return;
    this.#client = undefined;
    this.#starting = undefined;
    if (this.#closed) return;
    const { settings, log, clock } = this.#options;
    const wait_ms = Math.min(pause_ms * 2 ** this.#failures, max_pause_ms);
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#not_before = clock.now() + wait_ms;
    this.#fault = fault instanceof Error ? fault.message.slice(0, 300) : String(fault);
    log.warn(`MCP server '${settings.name}' is unavailable: ${this.#fault}`);
  }
}
