import type { ImportedRows } from '../store/imported-sql.js';

/** Width of the span of times that is read at once. */
const span_ms = 1_000;

/** Gives messages times that no other message of their session has, as late as needed. */
export class FreeTimes {
  readonly #rows: Pick<ImportedRows, 'times'>;
  readonly #taken = new Map<string, Set<number>>();
  readonly #read = new Map<string, Set<number>>();

  constructor(rows: Pick<ImportedRows, 'times'>) {
    this.#rows = rows;
  }

  /** Returns the first free time from the wanted one on, and takes it. */
  async take(session_id: string, wanted_ms: number): Promise<number> {
    const taken = this.#of(this.#taken, session_id);
    for (let at = wanted_ms; ; at += 1) {
      await this.#load(session_id, at, taken);
      if (taken.has(at)) continue;
      taken.add(at);
      return at;
    }
  }

  /** Reads the stored times of a span once. */
  async #load(session_id: string, at: number, taken: Set<number>): Promise<void> {
    const span = Math.floor(at / span_ms);
    const read = this.#of(this.#read, session_id);
    if (read.has(span)) return;
    read.add(span);
    const [first, last] = [span * span_ms, (span + 1) * span_ms - 1].map((ms) => new Date(ms).toISOString());
    for (const time of await this.#rows.times(session_id, first as string, last as string)) taken.add(Date.parse(time));
  }

  #of(sets: Map<string, Set<number>>, session_id: string): Set<number> {
    const known = sets.get(session_id);
    if (known) return known;
    const made = new Set<number>();
    sets.set(session_id, made);
    return made;
  }
}
