import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool, ToolEffect, ToolProvider, ToolResult, ToolUse } from '../../../kernel/contract/index.js';
import { Connection, type ConnectionOptions } from './connection.js';
import type { OfferedTool } from './offered.js';
import { toolResult } from './result.js';
import type { ServerSettings } from './settings.js';

const timeout_ms = 60_000;
const max_schema_length = 32 * 1024;
const max_tools = 128;
/** Time for which a list of tools is cached. */
const cache_ms = 30_000;
/** Minimum time for which it is cached, however often the server announces changes. */
const min_cache_ms = 1_000;

/**
 * Offers the tools of one MCP server. The server sees the configured credentials whoever calls, so the configuration
 * restricts the tools.
 */
export class McpServer implements ToolProvider {
  readonly name: string;
  readonly #options: ConnectionOptions;
  readonly #connection: Connection;
  #cached: { at: number; tools: readonly Tool[] } | undefined;

  constructor(options: ConnectionOptions) {
    this.name = `the MCP server '${options.settings.name}'`;
    this.#options = options;
    this.#connection = new Connection({ ...options, changed: () => this.#changed() });
  }

  async tools(): Promise<readonly Tool[]> {
    const { clock } = this.#options;
    if (this.#cached && clock.now() - this.#cached.at < cache_ms) return this.#cached.tools;
    const tools = this.#usable(await this.#connection.tools());
    this.#cached = { at: clock.now(), tools };
    return tools;
  }

  brings(name: string): boolean {
    const { settings } = this.#options;
    return name.startsWith(nameOf(settings.name, '')) || name.startsWith(titleOf(settings.name, ''));
  }

  /** Lists the tools unless the list is fresh, and waits briefly for the answer. */
  async probe(wait_ms: number): Promise<void> {
    const asked = this.tools().catch(() => undefined);
    await Promise.race([asked, sleep(wait_ms, undefined, { ref: false })]);
  }

  /** Returns why it is unavailable; undefined if it is available or was never contacted. */
  get fault(): string | undefined {
    return this.#connection.fault;
  }

  /** State shown by `doctor`. */
  get state(): string {
    const { fault } = this.#connection;
    return `${this.#options.settings.name} (${fault ?? (this.#cached ? `${this.#cached.tools.length} tools` : 'not asked yet')})`;
  }

  async dispose(): Promise<void> {
    await this.#connection.close();
  }

  /** Invalidates the cached list, at most once per `min_listed_ms`. */
  #changed(): void {
    const { clock } = this.#options;
    if (this.#cached && clock.now() - this.#cached.at >= min_cache_ms) this.#cached = undefined;
  }

  /** Returns the tools that are allowed and usable. If titles collide, the first tool is kept. */
  #usable(offered: readonly OfferedTool[]): Tool[] {
    const { settings, log } = this.#options;
    const usable = new Map<string, Tool>();
    const titles = new Set<string>();
    for (const tool of offered) {
      if (usable.size === max_tools) break;
      const allowed = settings.tools === 'all' || settings.tools.includes(tool.name);
      if (!allowed) continue;
      const baseName = nameOf(settings.name, tool.name);
      const name = usable.has(baseName) ? distinctName(baseName, tool.name) : baseName;
      const title = titleOf(settings.name, tool.name);
      if (usable.has(name) || titles.has(title) || JSON.stringify(tool.input).length > max_schema_length) {
        log.warn(`The tool '${tool.name.slice(0, 100)}' of ${this.name} was skipped: its name is a duplicate or its schema is too large`);
      } else usable.set(name, this.#tool(name, tool));
      titles.add(title);
    }
    return [...usable.values()];
  }

  #tool(name: string, { name: toolName, description, input }: OfferedTool): Tool {
    const { settings } = this.#options;
    return {
      name,
      title: titleOf(settings.name, toolName),
      description: description.slice(0, 2_000),
      input,
      effect: effectOf(toolName, settings),
      foreign: true,
      timeout_ms,
      call: (input, use) => this.#call(toolName, input, use),
    };
  }

  async #call(tool: string, input: object, use: ToolUse): Promise<ToolResult> {
    const { signal } = use;
    const progress = ({ message }: { message?: string | undefined }) => message && use.output(`${message.slice(0, 1_000)}\n`);
    try {
      const result = toolResult(await this.#connection.call(tool, input, { signal, timeout_ms, progress }));
      // The tool may have been removed.
      if (result.error !== undefined) this.#cached = undefined;
      return result;
    } catch (fault) {
      signal.throwIfAborted();
      this.#cached = undefined;
      return { output: '', error: `${this.name}: ${fault instanceof Error ? fault.message.slice(0, 1_000) : 'it failed'}` };
    }
  }
}

function effectOf(tool: string, { read_only, dangerous }: ServerSettings): ToolEffect {
  if (dangerous.includes(tool)) return 'dangerous';
  return read_only.includes(tool) ? 'read' : 'write';
}

/**
 * Title for people, including approvals: without control and format characters, which could hide or reverse text.
 * Operation ids have no slash, so a title can't imitate one.
 */
function titleOf(server: string, tool: string): string {
  return `${server}/${tool.replace(/[^\p{L}\p{M}\p{N}_. /-]/gu, '_')}`.slice(0, 128);
}

/** Appends a hash to names that differ only in characters models don't accept. Stable across calls. */
function distinctName(name: string, own: string): string {
  return `${name.slice(0, 55)}_${createHash('sha256').update(own).digest('hex').slice(0, 8)}`;
}

/** Name for the model. No operation's name has two underscores after a server's name. */
function nameOf(server: string, tool: string): string {
  return `${server}__${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
