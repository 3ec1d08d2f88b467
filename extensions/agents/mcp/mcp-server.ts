import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool, ToolEffect, ToolProvider, ToolResult, ToolUse } from '../../../kernel/contract/index.js';
import { Connection, type ConnectionOptions } from './connection.js';
import type { OfferedTool } from './offered.js';
import { toolResult } from './result.js';
import type { ServerSettings } from './settings.js';

/** Time limit of a tool call. */
const timeout_ms = 60_000;
/** Limit of a tool's schema, in characters of JSON. */
const max_schema_length = 32 * 1024;
/** Limit of the tools of one server. */
const max_tools = 128;
/** Time for which the list of tools is cached. */
const cache_ms = 30_000;
/** Time for which a new list is cached even if the server announces a change, so that announcements can't cause constant requests. */
const min_cache_ms = 1_000;

/**
 * Client of one configured MCP server: offers the server's tools to AI employees. The server gets the same configured credentials for
 * every member, so the configuration, not a member's rights, decides which tools may be used.
 */
export class McpServer implements ToolProvider {
  readonly name: string;
  readonly #options: ConnectionOptions;
  readonly #connection: Connection;
  #cached: { at: number; tools: readonly Tool[] } | undefined;

  constructor(options: ConnectionOptions) {
    this.name = `the MCP server '${options.settings.name}'`;
    this.#options = options;
    this.#connection = new Connection({ ...options, onToolsChanged: () => this.#onToolsChanged() });
  }

  /** Returns the usable tools, from the cache if the list is fresh. */
  async tools(): Promise<readonly Tool[]> {
    const { clock } = this.#options;
    if (this.#cached && clock.now() - this.#cached.at < cache_ms) return this.#cached.tools;
    const tools = this.#usable(await this.#connection.tools());
    this.#cached = { at: clock.now(), tools };
    return tools;
  }

  /** Returns whether a tool with this name or title would be this server's, judging by the prefix: the server may not have been asked yet. */
  brings(name: string): boolean {
    const { settings } = this.#options;
    return name.startsWith(nameOf(settings.name, '')) || name.startsWith(titleOf(settings.name, ''));
  }

  /** Contacts the server unless its list of tools is fresh, and waits at most `wait_ms`. Never fails; {@link fault} has the result. */
  async probe(wait_ms: number): Promise<void> {
    const listed = this.tools().catch(() => undefined);
    await Promise.race([listed, sleep(wait_ms, undefined, { ref: false })]);
  }

  /** Returns why it is unavailable; undefined if it is available or was never contacted. */
  get fault(): string | undefined {
    return this.#connection.fault;
  }

  /** State for `doctor`: the name with the fault, the number of tools, or `not asked yet`. */
  get state(): string {
    const { fault } = this.#connection;
    return `${this.#options.settings.name} (${fault ?? (this.#cached ? `${this.#cached.tools.length} tools` : 'not asked yet')})`;
  }

  async dispose(): Promise<void> {
    await this.#connection.close();
  }

  /** Drops the cached list because the server has announced a change. Ignored within `min_cache_ms` after the list was read. */
  #onToolsChanged(): void {
    const { clock } = this.#options;
    if (this.#cached && clock.now() - this.#cached.at >= min_cache_ms) this.#cached = undefined;
  }

  /** Returns the allowed tools, at most 128. Skips one whose name or title an earlier one has, or whose schema is too large. */
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
      // The server gets the platform's credentials, whoever asks.
      audience: 'members',
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
      // An error may mean that the server no longer has the tool.
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
 * Returns the title that people see, such as in approvals. Control and format characters, which could hide or reverse text, become `_`.
 * Operation ids have no slash, so a title can't imitate one.
 */
function titleOf(server: string, tool: string): string {
  return `${server}/${tool.replace(/[^\p{L}\p{M}\p{N}_. /-]/gu, '_')}`.slice(0, 128);
}

/**
 * Returns another name for a tool whose name {@link nameOf} made equal to an earlier one's: it appends a hash of the server's name for the
 * tool, which stays the same from run to run.
 */
function distinctName(name: string, toolName: string): string {
  return `${name.slice(0, 55)}_${createHash('sha256').update(toolName).digest('hex').slice(0, 8)}`;
}

/** Returns the name for the model. The two underscores keep it apart from the names of operations. */
function nameOf(server: string, tool: string): string {
  return `${server}__${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
