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
/** The list of its tools is believed for so long, */
const listed_ms = 30_000;
/** and at least for so long, however often the server says that it has changed. */
const min_listed_ms = 1_000;

/** The tools of one MCP server. It has what its configuration gives it, whoever asks; so the configuration says which. */
export class McpServer implements ToolProvider {
  readonly name: string;
  readonly #options: ConnectionOptions;
  readonly #connection: Connection;
  #listed: { at: number; tools: readonly Tool[] } | undefined;

  constructor(options: ConnectionOptions) {
    this.name = `the MCP server '${options.settings.name}'`;
    this.#options = options;
    this.#connection = new Connection({ ...options, changed: () => this.#changed() });
  }

  async tools(): Promise<readonly Tool[]> {
    const { clock } = this.#options;
    if (this.#listed && clock.now() - this.#listed.at < listed_ms) return this.#listed.tools;
    const tools = this.#usable(await this.#connection.tools());
    this.#listed = { at: clock.now(), tools };
    return tools;
  }

  brings(name: string): boolean {
    const { settings } = this.#options;
    return name.startsWith(nameOf(settings.name, '')) || name.startsWith(titleOf(settings.name, ''));
  }

  /** Asks for its tools, unless that was just done, and waits a moment for the answer. */
  async look(wait_ms: number): Promise<void> {
    const asked = this.tools().catch(() => undefined);
    await Promise.race([asked, sleep(wait_ms, undefined, { ref: false })]);
  }

  /** Why it is unavailable; undefined where it is, or where nobody has asked it. */
  get fault(): string | undefined {
    return this.#connection.fault;
  }

  /** For `doctor`. */
  get state(): string {
    const { fault } = this.#connection;
    return `${this.#options.settings.name} (${fault ?? (this.#listed ? `${this.#listed.tools.length} tools` : 'not asked yet')})`;
  }

  async dispose(): Promise<void> {
    await this.#connection.close();
  }

  /** A storm of changes costs one list a while. */
  #changed(): void {
    const { clock } = this.#options;
    if (this.#listed && clock.now() - this.#listed.at >= min_listed_ms) this.#listed = undefined;
  }

  /** Returns the tools that are allowed and fit. If several look alike to people, the first one counts. */
  #usable(offered: readonly OfferedTool[]): Tool[] {
    const { settings, log } = this.#options;
    const usable = new Map<string, Tool>();
    const titles = new Set<string>();
    for (const tool of offered) {
      if (usable.size === max_tools) break;
      const allowed = settings.tools === 'all' || settings.tools.includes(tool.name);
      if (!allowed) continue;
      const plain = nameOf(settings.name, tool.name);
      const name = usable.has(plain) ? distinctName(plain, tool.name) : plain;
      const title = titleOf(settings.name, tool.name);
      if (usable.has(name) || titles.has(title) || JSON.stringify(tool.input).length > max_schema_length) {
        log.warn(`The tool '${tool.name.slice(0, 100)}' of ${this.name} is left out: its name is taken, or its schema too large`);
      } else usable.set(name, this.#tool(name, tool));
      titles.add(title);
    }
    return [...usable.values()];
  }

  #tool(name: string, { name: own, description, input }: OfferedTool): Tool {
    const { settings } = this.#options;
    return {
      name,
      title: titleOf(settings.name, own),
      description: description.slice(0, 2_000),
      input,
      effect: effectOf(own, settings),
      foreign: true,
      timeout_ms,
      call: (input, use) => this.#call(own, input, use),
    };
  }

  async #call(tool: string, input: object, use: ToolUse): Promise<ToolResult> {
    const { signal } = use;
    const progress = ({ message }: { message?: string | undefined }) => message && use.output(`${message.slice(0, 1_000)}\n`);
    try {
      const result = toolResult(await this.#connection.call(tool, input, { signal, timeout_ms, progress }));
      // The tool may be there no more.
      if (result.error !== undefined) this.#listed = undefined;
      return result;
    } catch (fault) {
      signal.throwIfAborted();
      this.#listed = undefined;
      return { output: '', error: `${this.name}: ${fault instanceof Error ? fault.message.slice(0, 1_000) : 'it failed'}` };
    }
  }
}

function effectOf(tool: string, { read_only, dangerous }: ServerSettings): ToolEffect {
  if (dangerous.includes(tool)) return 'dangerous';
  return read_only.includes(tool) ? 'read' : 'write';
}

/**
 * As people see it, in approvals too: no control or format characters, which would hide or turn what stands
 * there. No operation's id has a slash, so none can be taken for one.
 */
function titleOf(server: string, tool: string): string {
  return `${server}/${tool.replace(/[^\p{L}\p{M}\p{N}_. /-]/gu, '_')}`.slice(0, 128);
}

/** Tells apart what differs only in characters that models take in no name; the same each time. */
function distinctName(name: string, own: string): string {
  return `${name.slice(0, 55)}_${createHash('sha256').update(own).digest('hex').slice(0, 8)}`;
}

/** As a model takes it. No operation's name has two underscores after a server's name. */
function nameOf(server: string, tool: string): string {
  return `${server}__${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
