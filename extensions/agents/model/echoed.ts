import { isRecord } from './delta.js';

/** In characters of JSON; what is longer does not go back. */
const longest = 1_048_576;

/** Puts together the reasoning of an answer as its server sent it, so that it can be sent back. */
export class EchoedReasoning {
  readonly #fields = new Map<string, unknown>();
  #length = 0;

  add(fields: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(fields)) {
      this.#length += typeof value === 'string' ? value.length : JSON.stringify(value).length;
      if (this.#length > longest) this.#fields.clear();
      else this.#fields.set(name, joined(this.#fields.get(name), value));
    }
  }

  /** Undefined if there is none, or too much. */
  get fields(): Readonly<Record<string, unknown>> | undefined {
    return this.#fields.size === 0 || this.#length > longest ? undefined : Object.fromEntries(this.#fields);
  }
}

function joined(before: unknown, value: unknown): unknown {
  if (typeof value === 'string') return typeof before === 'string' ? before + value : value;
  return Array.isArray(value) ? value.reduce(withPart, Array.isArray(before) ? [...before] : []) : value;
}

/** Parts of one index and type are one; their texts follow each other. */
function withPart(parts: unknown[], part: unknown): unknown[] {
  const last = parts.at(-1);
  if (!isRecord(part) || !isRecord(last) || part.index === undefined || part.index !== last.index || part.type !== last.type)
    return [...parts, part];
  const merged: Record<string, unknown> = { ...last };
  for (const [key, value] of Object.entries(part)) {
    const isText = ['text', 'summary', 'data', 'thinking'].includes(key) && typeof value === 'string' && typeof merged[key] === 'string';
    if (value !== null && value !== undefined) merged[key] = isText ? `${String(merged[key])}${value}` : value;
  }
  return [...parts.slice(0, -1), merged];
}
