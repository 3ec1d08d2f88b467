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

/** What models' servers take at once. */
const max_tools = 128;
const max_guide_length = 20_000;
const provider_ms = 10_000;
const valid = /^[A-Za-z0-9_-]{1,64}$/;

/** Names or titles of tools. */
export type Allowed = 'all' | readonly string[];

export interface ToolboxOptions {
  /** What is in the slot now. */
  providers: readonly Contribution<ToolProvider>[];
  use: ToolContext;
  allowed: Allowed;
  log: Log;
}

/** The tools of one run. */
export class Toolbox {
  readonly tools: readonly Tool[];
  /** The servers that are unavailable now. */
  readonly missing: readonly string[];

  private constructor(tools: readonly Tool[], missing: readonly string[]) {
    this.tools = tools;
    this.missing = missing;
  }

  /** Asks all providers at once. One that fails, or hangs, loses its own tools alone. */
  static async open(options: ToolboxOptions): Promise<Toolbox> {
    const { providers, use, allowed, log } = options;
    const found = await Promise.all(providers.map((provider) => toolsOf(provider, use, log)));
    const named = new Map<string, Tool>();
    for (const tool of ownFirst(found.flatMap((tools) => tools ?? []))) {
      if (!valid.test(tool.name)) log.warn(`The tool '${tool.title}' has no name that models take, and is left out`);
      else if (named.has(tool.name)) log.warn(`There are two tools '${tool.name}'; the later one is left out`);
      else if (allows(allowed, tool)) named.set(tool.name, tool);
    }
    const missing = providers.filter((_, at) => found[at] === undefined).map(({ value }) => value.name);
    return new Toolbox([...named.values()].slice(0, max_tools), missing);
  }

  /** What a model is told at the start of a run, of the tools that are not hidden. */
  guides(hidden: ReadonlySet<string> = new Set()): string[] {
    return this.tools.flatMap(({ name, guide }) => (guide === undefined || hidden.has(name) ? [] : [guide.slice(0, max_guide_length)]));
  }

  /** Returns the tool that a call means; undefined if there is none, or if its request did not offer it. */
  offered({ name, offered }: Pick<ToolUse, 'name' | 'offered'>): Tool | undefined {
    const tool = this.find(name);
    return tool && offered && !offered.has(tool.name) ? undefined : tool;
  }

  /** By the name that models use, or the one that people do. */
  find(name: string): Tool | undefined {
    return this.tools.find((tool) => tool.name === name) ?? this.tools.find((tool) => tool.title === name);
  }
}

function ownFirst(tools: readonly Tool[]): Tool[] {
  return [...tools.filter(({ foreign }) => !foreign), ...tools.filter(({ foreign }) => foreign)];
}

export function allows(allowed: Allowed, { name, title }: Tool): boolean {
  return allowed === 'all' || allowed.includes(name) || allowed.includes(title);
}

async function toolsOf(provider: Contribution<ToolProvider>, use: ToolContext, log: Log): Promise<readonly Tool[] | undefined> {
  const { name } = provider.value;
  try {
    const asked = Promise.resolve(provider.value.tools(use));
    if (await untilAborted(endsWithin(provider_ms, asked), use.signal)) return await asked;
    log.warn(`The tools of ${name} did not come within ${provider_ms / 1000} s`, { from: provider.from });
  } catch (fault) {
    use.signal.throwIfAborted();
    log.warn(`The tools of ${name} are unavailable`, { from: provider.from, err: fault });
  }
  return undefined;
}
