import { fail, MAX_ENTRY_BYTES } from './limits.js';

/** A stored entry: JSON, so that nobody can change it later and both drivers return equal data. */
export interface Encoded {
  readonly type: string;
  readonly json: string;
  readonly bytes: number;
}

/** Encodes entries, or fails with `journal_entry_too_large` before any of them is appended. */
export function encode(topic: string, entries: readonly { type: string; data: object }[]): Encoded[] {
  return entries.map(({ type, data }) => {
    const json = JSON.stringify(data);
    const bytes = Buffer.byteLength(json) + type.length;
    if (bytes > MAX_ENTRY_BYTES) {
      throw fail(
        'journal_entry_too_large',
        `An entry of topic '${topic}' may have ${MAX_ENTRY_BYTES} bytes of JSON but '${type}' has ${bytes}`,
      );
    }
    return { type, json, bytes };
  });
}
