import { isRecord } from '../json.js';

/** Limit in characters of JSON; longer reasoning is not sent back. */
const max_length = 1_048_576;

/** Assembles the reasoning of an answer as its server sent it, so that it can be sent back. */
export class EchoedReasoning {
  readonly #fields = new Map<string, unknown>();
  #length = 0;

  add(fields: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(fields)) {
      this.#length += typeof value === 'string' ? value.length : JSON.stringify(value).length;
      if (this.#length > max_length) this.#fields.clear();
      else this.#fields.set(name, joined(this.#fields.get(name), value));
    }
  }

  /** Returns the assembled fields; undefined if there are none or they exceed the limit. */
  get fields(): Readonly<Record<string, unknown>> | undefined {
    return this.#fields.size === 0 || this.#length > max_length ? undefined : Object.fromEntries(this.#fields);
  }
}

function joined(before: unknown, value: unknown): unknown {
  if (typeof value === 'string') return typeof before === 'string' ? before + value : value;
  if (!Array.isArray(value)) return value;
  const parts: unknown[] = Array.isArray(before) ? before : [];
  for (const part of value) addPart(parts, part);
  return parts;
}

/**
 * Adds a part in place, because an answer may have thousands. Parts with the same index and type are merged; their
 * texts are concatenated.
 */
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
