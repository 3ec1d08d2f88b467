import type { Log } from '../../contract/extension.js';
import type { AuditEntry } from '../../contract/system.js';
import { captureContext } from '../../core/ambient.js';

/** Limit of kinds of refusals that are counted separately within a window; further ones are counted by operation and outcome only. */
const max_separate = 60;

/** Stores refusals. */
export interface RefusalStore {
  insert(refusal: AuditEntry): Promise<void>;
  /** Updates a stored refusal: how often it occurred in all, and when last. */
  count(refusal: AuditEntry, seen: { times: number; last_at: string }): Promise<void>;
}

export interface RefusalsOptions {
  log: Pick<Log, 'warn'>;
  /** Time within which equal refusals are counted in one row. Default 60,000. */
  window_ms?: number;
}

interface Seen {
  refusal: AuditEntry;
  times: number;
  last_at: string;
}

/**
 * Writes refusals in the background, never in the request's transaction, which is rolled back. The first refusal of a kind is written at
 * once; equal ones are only counted, so that a flood of calls costs one row for each kind and minute.
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

  note(entry: AuditEntry): void {
    const isSeparate = this.#seen.size < max_separate || this.#seen.has(keyOf(entry));
    const refusal = isSeparate ? entry : { ...entry, member_id: 0, username: '', via: '', address: '', target: '' };
    const seen = this.#seen.get(keyOf(refusal));
    if (seen) {
      seen.times += 1;
      seen.last_at = refusal.at;
      return;
    }
    this.#seen.set(keyOf(refusal), { refusal, times: 1, last_at: refusal.at });
    this.#write(() => this.#store.insert(refusal));
    this.#timer ??= this.#outside(() => setTimeout(() => this.#writeCounts(), this.#window_ms).unref());
  }

  /** Waits until all refusals are written, without their counts. */
  settled(): Promise<void> {
    return this.#written;
  }

  /** Writes the counts now, and waits until everything is written. */
  flush(): Promise<void> {
    this.#writeCounts();
    return this.#written;
  }

  /** Writes the counts of this window and begins the next. */
  #writeCounts(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { refusal, ...seen } of this.#seen.values()) {
      if (seen.times > 1) this.#write(() => this.#store.count(refusal, seen));
    }
    this.#seen.clear();
  }

  /** Appends work to the queue of writes. */
  #write(work: () => Promise<void>): void {
    const attempt = () =>
      this.#outside(work).catch((fault: unknown) => this.#log.warn('A refusal is missing in the audit trail', { fault }));
    this.#written = this.#written.then(attempt);
  }
}

function keyOf({ member_id, operation, door, via, address, target, outcome }: AuditEntry): string {
  return JSON.stringify([member_id, operation, door, via, address, target, outcome]);
}
