import type { ToolSpec } from './prompt.js';

const max_length = 128;
/** Namespaces that models put before a tool's name. */
const namespaces = /^(?:functions?|default_api|tools?)[.:]/;

/** Matches a name to a tool: some models add a namespace, a number or a mark. */
export class ToolNames {
  readonly #tools: ReadonlySet<string>;
  readonly #sent: ReadonlyMap<string, string>;

  /** `sent`: original names of tools that were renamed. */
  constructor(tools: readonly ToolSpec[], sent: ReadonlyMap<string, string>) {
    this.#tools = new Set(tools.map(({ name }) => name));
    this.#sent = sent;
  }

  /** Returns the name of the tool, or the model's text if no tool matches. */
  find(written: string): string {
    return this.known(written) ?? this.#real(written.slice(0, max_length));
  }

  /** Returns the name of the tool; undefined if none matches. */
  known(written: string): string | undefined {
    const short = written.slice(0, max_length).trim();
    const plain = (short.split('<')[0] ?? '').trim();
    const bare = plain.replace(namespaces, '');
    return [short, plain, bare, bare.replace(/:\d+$/, '')].map((name) => this.#real(name)).find((name) => this.#tools.has(name));
  }

  #real(name: string): string {
    return this.#sent.get(name) ?? name;
  }
}
