import type { ToolSpec } from './prompt.js';
import { tokensOf } from './tokens.js';

/** What tools cost where a model is told of them, roughly. Each is counted once: a run has a hundred, the same as the run before. */
export class ToolTokens {
  readonly #counted = new WeakMap<object, { tool: ToolSpec; tokens: number }>();

  of(tools: readonly ToolSpec[]): number {
    return tools.reduce((sum, tool) => sum + this.#one(tool), 0);
  }

  /** By its schema, which outlives the run. */
  #one(tool: ToolSpec): number {
    const { name, description, input } = tool;
    const counted = this.#counted.get(input);
    if (counted?.tool.name === name && counted.tool.description === description) return counted.tokens;
    const tokens = tokensOf(JSON.stringify({ name, description, input }));
    this.#counted.set(input, { tool, tokens });
    return tokens;
  }
}
