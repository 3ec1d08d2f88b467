import type { ToolSpec } from './prompt.js';

const max_length = 128;
/** Namespaces that models put before the name of a tool. */
const namespaces = /^(?:functions?|default_api|tools?)[.:]/;

/** Finds out which tool a model means: some add a namespace, a number or a mark of their own to its name. */
export class ToolNames {
  readonly #tools: ReadonlySet<string>;
  readonly #sent: ReadonlyMap<string, string>;

  /** `sent`: the real names of tools that were sent under another. */
  constructor(tools: readonly ToolSpec[], sent: ReadonlyMap<string, string>) {
    this.#tools = new Set(tools.map(({ name }) => name));
    this.#sent = sent;
  }

  /** Returns the name of the tool, or what the model wrote if there is none like it. */
  find(written: string): string {
    return this.known(written) ?? this.#real(written.slice(0, max_length));
  }

  /** Returns the name of the tool; undefined if there is no such tool. */
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
