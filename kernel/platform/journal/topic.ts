import type { Entry } from '../../contract/journal.js';
import type { Decoder } from './decoder.js';
import type { Encoded } from './encode.js';
import { formatCursor, locate, type Position, type Span } from './position.js';
import type { Feed, Page } from './reader.js';

/** Limit of entries in a read, and so of what a reader holds. */
const PAGE_ENTRIES = 64;
/** Bytes of JSON after which a read stops. */
const PAGE_BYTES = 64 * 1024;

/** A topic in memory: its latest entries and its waiting readers. */
export class Topic implements Feed {
  readonly topic: string;
  readonly epoch: string;
  used_at: number;
  #ended = false;
  #closed = false;
  #bytes = 0;
  #last = 0;
  /** Entries before `#start` are dropped; they are removed in batches. */
  #entries: (Encoded | undefined)[] = [];
  #start = 0;
  readonly #watchers = new Set<() => void>();
  readonly #decoder: Decoder;

  constructor(topic: string, { epoch, now, decoder }: { epoch: string; now: number; decoder: Decoder }) {
    this.topic = topic;
    this.epoch = epoch;
    this.used_at = now;
    this.#decoder = decoder;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.length - this.#start;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get watched(): boolean {
    return this.#watchers.size > 0;
  }

  get head(): Position {
    return { epoch: this.epoch, n: this.#last };
  }

  append(contents: readonly Encoded[]): void {
    for (const content of contents) {
      this.#entries.push(content);
      this.#bytes += content.bytes;
    }
    this.#last += contents.length;
    this.#wake();
  }

  /** Drops the oldest entry. */
  drop(): void {
    this.#bytes -= this.#entries[this.#start]?.bytes ?? 0;
    this.#entries[this.#start] = undefined;
    this.#start += 1;
    if (this.#start < 64 || this.#start * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Ends all readers, wherever they are. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  watch(wake: () => void): () => void {
    this.#watchers.add(wake);
    return () => this.#watchers.delete(wake);
  }

  read(after: Position | undefined): Page {
    if (this.#closed) return { entries: [], position: after, more: false, ended: true };
    const span = this.#span();
    const { at, gap } = locate(span, after);
    if (gap) return { gap, entries: [], position: at, more: true, ended: false };
    const index = this.#start + at.n + 1 - span.first;
    const entries: Entry[] = [];
    for (let bytes = 0; entries.length < PAGE_ENTRIES && bytes < PAGE_BYTES && index + entries.length < this.#entries.length; ) {
      const kept = this.#entries[index + entries.length];
      bytes += kept?.bytes ?? 0;
      entries.push(this.#entry(kept, at.n + 1 + entries.length));
    }
    const n = at.n + entries.length;
    return { entries, position: { epoch: this.epoch, n }, more: n < span.last, ended: this.#ended && n === span.last };
  }

  #span(): Span {
    return { epoch: this.epoch, first: this.#last - this.size + 1, last: this.#last };
  }

  #entry(kept: Encoded | undefined, n: number): Entry {
    if (!kept) throw new Error(`Entry ${n} of topic '${this.topic}' was dropped while it was read`);
    return { cursor: formatCursor(this.topic, { epoch: this.epoch, n }), type: kept.type, data: this.#decoder.decode(kept.json) };
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
  }
}
