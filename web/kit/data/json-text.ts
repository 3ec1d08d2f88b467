/** Levels, entries and characters that are written. More would hold the page, and nobody reads it. */
const max_depth = 64;
const max_entries = 20_000;
const max_length = 200_000;

/**
 * Writes a value as JSON over several lines; a text as it is. Others choose the value, so the work is bounded: what is too deep, or too much,
 * is left out, and a mark says so.
 */
export function jsonText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(new Bounding().copy(value, 0), null, 2) ?? '');
  return firstPart(text, max_length);
}

/** Returns at most the first characters of a text, with a mark if there are more. */
export function firstPart(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (+${text.length - max})`;
}

/** Copies a value until it has copied enough. */
class Bounding {
  #left = max_entries;

  copy(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (depth === max_depth) return '…';
    if (Array.isArray(value)) {
      const kept = value.slice(0, this.#left).map((each) => this.#entry(each, depth));
      return kept.length < value.length ? [...kept, `… (+${value.length - kept.length})`] : kept;
    }
    const entries = Object.entries(value);
    const kept = entries.slice(0, this.#left).map(([key, each]) => [key, this.#entry(each, depth)] as const);
    // `fromEntries` makes an own `__proto__` where an assignment would change the prototype.
    return Object.fromEntries(kept.length < entries.length ? [...kept, ['…', `+${entries.length - kept.length}`]] : kept);
  }

  #entry(value: unknown, depth: number): unknown {
    this.#left = Math.max(0, this.#left - 1);
    return this.copy(value, depth + 1);
  }
}
