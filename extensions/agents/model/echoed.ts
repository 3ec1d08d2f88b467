import { isRecord } from '../json.js';

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
  if (!Array.isArray(value)) return value;
  const parts: unknown[] = Array.isArray(before) ? before : [];
  for (const part of value) addPart(parts, part);
  return parts;
}

/** Adds a part in place: an answer may have thousands. Parts of one index and type are one; their texts follow each other. */
function addPart(parts: unknown[], part: unknown): void {
  const last = parts.at(-1);
  if (!isRecord(part) || !isRecord(last) || part.index === undefined || part.index !== last.index || part.type !== last.type) {
    parts.push(part);
    return;
  }
  const merged: Record<string, unknown> = { ...last };
  for (const [key, value] of Object.entries(part)) {
    const isText = ['text', 'summary', 'data', 'thinking'].includes(key) && typeof value === 'string' && typeof merged[key] === 'string';
    if (value !== null && value !== undefined) merged[key] = isText ? `${String(merged[key])}${value}` : value;
  }
  parts[parts.length - 1] = merged;
}
