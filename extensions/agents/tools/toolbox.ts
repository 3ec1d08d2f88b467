import {
  type Contribution,
  endsWithin,
  type Log,
  type Tool,
  type ToolContext,
  type ToolProvider,
  untilAborted,
} from '../../../kernel/contract/index.js';
import type { ToolUse } from '../model/prompt.js';

/** Limit of tools in one request, imposed by model servers. */
const max_tools = 128;
const max_guide_length = 20_000;
const provider_ms = 10_000;
const valid = /^[A-Za-z0-9_-]{1,64}$/;

/** Names or titles of tools. */
export type AllowedTools = 'all' | readonly string[];

export interface ToolboxOptions {
  /** Current contributions to the slot. */
  providers: readonly Contribution<ToolProvider>[];
  use: ToolContext;
  allowed: AllowedTools;
  log: Log;
}

/** Tools of one run. */
export class Toolbox {
  readonly tools: readonly Tool[];
  /** Providers that are unavailable now. */
  readonly missing: readonly string[];

  private constructor(tools: readonly Tool[], missing: readonly string[]) {
    this.tools = tools;
    this.missing = missing;
  }

  /** Asks all providers at once. One that fails or hangs only loses its own tools. */
  static async open(options: ToolboxOptions): Promise<Toolbox> {
    const { providers, use, allowed, log } = options;
    const found = await Promise.all(providers.map((provider) => toolsOf(provider, use, log)));
    const named = new Map<string, Tool>();
    for (const tool of builtinFirst(found.flatMap((tools) => tools ?? []))) {
      if (!valid.test(tool.name)) log.warn(`The tool '${tool.title}' was skipped: models do not accept its name`);
      else if (named.has(tool.name)) log.warn(`Duplicate tool '${tool.name}'; the later one was skipped`);
      else if (allows(allowed, tool)) named.set(tool.name, tool);
    }
    const missing = providers.filter((_, at) => found[at] === undefined).map(({ value }) => value.name);
    return new Toolbox([...named.values()].slice(0, max_tools), missing);
  }

  /** Returns the guides of the tools that are not hidden, for the start of a run. */
  guides(hidden: ReadonlySet<string> = new Set()): string[] {
    return this.tools.flatMap(({ name, guide }) => (guide === undefined || hidden.has(name) ? [] : [guide.slice(0, max_guide_length)]));
  }

  /** Returns the tool that a call refers to; undefined if there is none or its request did not offer it. */
  offered({ name, offered }: Pick<ToolUse, 'name' | 'offered'>): Tool | undefined {
    const tool = this.find(name);
    return tool && offered && !offered.has(tool.name) ? undefined : tool;
  }

  /** Finds a tool by its name for models or its title for people. */
  find(name: string): Tool | undefined {
    return this.tools.find((tool) => tool.name === name) ?? this.tools.find((tool) => tool.title === name);
  }
}

function builtinFirst(tools: readonly Tool[]): Tool[] {
  return [...tools.filter(({ foreign }) => !foreign), ...tools.filter(({ foreign }) => foreign)];
}

export function allows(allowed: AllowedTools, { name, title }: Tool): boolean {
  return allowed === 'all' || allowed.includes(name) || allowed.includes(title);
}

async function toolsOf(provider: Contribution<ToolProvider>, use: ToolContext, log: Log): Promise<readonly Tool[] | undefined> {
  const { name } = provider.value;
  try {
    const asked = Promise.resolve(provider.value.tools(use));
    if (await untilAborted(endsWithin(provider_ms, asked), use.signal)) return await asked;
    log.warn(`The tools of ${name} were not listed within ${provider_ms / 1000} s`, { from: provider.from });
  } catch (fault) {
    use.signal.throwIfAborted();
    log.warn(`The tools of ${name} are unavailable`, { from: provider.from, err: fault });
  }
  return undefined;
}
