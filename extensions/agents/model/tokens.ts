import type { ToolSpec } from './prompt.js';

/** Rough token cost of an image. */
export const image_tokens = 1_000;

/** Rough token count that errs high: four ASCII characters a token, any other character one. Counts text in pieces, in constant memory. */
export class TokenCount {
  #ascii = 0;
  #other = 0;

  add(text: string): void {
    let other = 0;
    // Usually the text is all ASCII, which is fast to detect.
    if (Buffer.byteLength(text) === text.length) {
      this.#ascii += text.length;
      return;
    }
    for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 126) other += 1;
    this.#other += other;
    this.#ascii += text.length - other;
  }

  get tokens(): number {
    return 4 + this.#other + Math.ceil(this.#ascii / 4);
  }
}

export function tokensOf(text: string): number {
  const count = new TokenCount();
  count.add(text);
  return count.tokens;
}

/** Rough token cost of tool descriptions. Each is counted once: a run has about a hundred, the same as the run before. */
export class ToolTokens {
  readonly #counted = new WeakMap<object, { tool: ToolSpec; tokens: number }>();

  of(tools: readonly ToolSpec[]): number {
    return tools.reduce((sum, tool) => sum + this.#one(tool), 0);
  }

  /** Caches by schema, which outlives the run. */
  #one(tool: ToolSpec): number {
    const { name, description, input } = tool;
    const counted = this.#counted.get(input);
    if (counted?.tool.name === name && counted.tool.description === description) return counted.tokens;
    const tokens = tokensOf(JSON.stringify({ name, description, input }));
    this.#counted.set(input, { tool, tokens });
    return tokens;
  }
}
