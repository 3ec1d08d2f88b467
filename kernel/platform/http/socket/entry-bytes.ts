import type { Entry } from '../../../contract/journal.js';
import { textFrameOf } from './frame-bytes.js';

/** An encoded entry: its frame up to the cursor, and the last whole frame. */
interface Encoded {
  readonly type: string;
  readonly start: Buffer;
  readonly ts: string;
  cursor: string;
  frame: Buffer;
}

const empty = Buffer.alloc(0);

/**
 * Encodes stored frames once for all sockets. The journal passes the same data to all readers of equal entries, also in several topics: their
 * frames differ only in the cursor.
 */
export class EntryBytes {
  readonly #all = new WeakMap<object, Encoded>();

  of(entry: Entry): Buffer {
    const { type, data, cursor } = entry;
    let known = this.#all.get(data);
    if (known?.type !== type) {
      known = encode(entry);
      this.#all.set(data, known);
    }
    // Readers of one topic follow one another.
    if (known.cursor === cursor) return known.frame;
    known.cursor = cursor;
    known.frame = textFrameOf(known.start, `,"cursor":${JSON.stringify(cursor)},"ts":"${known.ts}"}`);
    return known.frame;
  }
}

function encode({ type, data: stored }: Entry): Encoded {
  const { ts, data } = stored as { ts: string; data: object };
  const start = Buffer.from(`{"type":${JSON.stringify(type)},"data":${JSON.stringify(data)}`);
  return { type, start, ts, cursor: '', frame: empty };
}
