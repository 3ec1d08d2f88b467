import type { Entry } from '../../../contract/journal.js';
import { textFrameOf } from './frame-bytes.js';

/**
 * Encodes stored frames once for all sockets. The journal passes the same entry to all readers of a topic, and the same data to those of
 * several topics with equal entries: their frames differ only in the cursor.
 */
export class EntryBytes {
  readonly #frames = new WeakMap<Entry, Buffer>();
  readonly #starts = new WeakMap<object, { type: string; bytes: Buffer; ts: string }>();

  of(entry: Entry): Buffer {
    const made = this.#frames.get(entry);
    if (made) return made;
    const { bytes, ts } = this.#startOf(entry);
    const frame = textFrameOf(bytes, `,"cursor":${JSON.stringify(entry.cursor)},"ts":"${ts}"}`);
    this.#frames.set(entry, frame);
    return frame;
  }

  /** Returns the frame up to the cursor. */
  #startOf({ type, data: stored }: Entry): { bytes: Buffer; ts: string } {
    const made = this.#starts.get(stored);
    if (made?.type === type) return made;
    const { ts, data } = stored as { ts: string; data: object };
    const bytes = Buffer.from(`{"type":${JSON.stringify(type)},"data":${JSON.stringify(data)}`);
    const start = { type, bytes, ts };
    this.#starts.set(stored, start);
    return start;
  }
}
