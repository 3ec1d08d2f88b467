import type { Log } from '../../contract/extension.js';
import type { AuditEntry } from '../../contract/system.js';
import { captureContext } from '../../core/ambient.js';

/** As many are told apart in that time; the others are counted by operation and outcome alone. */
const max_apart = 60;

/** Where refusals are kept. */
export interface RefusalStore {
  insert(refusal: AuditEntry): Promise<void>;
  /** How often it was refused in all, and when last. */
  count(refusal: AuditEntry, seen: { times: number; last_at: string }): Promise<void>;
}

export interface RefusalsOptions {
  log: Pick<Log, 'warn'>;
  /** Refused again within this time, it is counted and no row of its own. Default 60,000. */
  window_ms?: number;
}

interface Seen {
  refusal: AuditEntry;
  times: number;
  last_at: string;
}

/**
 * Writes what was refused, beside the request and never in its transaction, which is rolled back. The first of a kind is
 * written at once; a flood costs a row for each kind and minute, however many calls it is made of.
 */
export class Refusals {
  readonly #store: RefusalStore;
  readonly #log: Pick<Log, 'warn'>;
  readonly #window_ms: number;
  readonly #seen = new Map<string, Seen>();
  readonly #outside = captureContext();
  #written: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: RefusalStore, { log, window_ms = 60_000 }: RefusalsOptions) {
    this.#store = store;
    this.#log = log;
    this.#window_ms = window_ms;
  }

  note(found: AuditEntry): void {
    const isApart = this.#seen.size < max_apart || this.#seen.has(keyOf(found));
    const refusal = isApart ? found : { ...found, member_id: 0, username: '', via: '', address: '', target: '' };
    const seen = this.#seen.get(keyOf(refusal));
    if (seen) {
      seen.times += 1;
      seen.last_at = refusal.at;
      return;
    }
    this.#seen.set(keyOf(refusal), { refusal, times: 1, last_at: refusal.at });
    this.#write(() => this.#store.insert(refusal));
    this.#timer ??= this.#outside(() => setTimeout(() => this.#turn(), this.#window_ms).unref());
  }

  /** Waits until what was noted stands in the database, its counts left out. */
  settled(): Promise<void> {
    return this.#written;
  }

  /** Writes what is known, with its counts. */
  flush(): Promise<void> {
    this.#turn();
    return this.#written;
  }

  #turn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { refusal, ...seen } of this.#seen.values()) {
      if (seen.times > 1) this.#write(() => this.#store.count(refusal, seen));
    }
    this.#seen.clear();
  }

  #write(work: () => Promise<void>): void {
    const attempt = () =>
      this.#outside(work).catch((fault: unknown) => this.#log.warn('A refusal is missing in the audit trail', { fault }));
    this.#written = this.#written.then(attempt);
  }
}

function keyOf({ member_id, operation, door, via, address, target, outcome }: AuditEntry): string {
  return JSON.stringify([member_id, operation, door, via, address, target, outcome]);
}
