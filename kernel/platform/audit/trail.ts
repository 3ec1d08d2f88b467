import type { Database } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { networkOf } from '../../contract/network.js';
import type { Caller } from '../../contract/operation.js';
import type { AuditEntry, AuditQuery, AuditRecord } from '../../contract/system.js';
import type { Audit, Audited } from '../../core/invoke/audit.js';
import type { Data } from '../data/hub.js';
import { max_lengths, over_limit } from './entry.js';
import { PendingAudit } from './pending.js';
import { Refusals } from './refusals.js';
import { AuditRows } from './rows.js';

/** ISO 8601: a day, or a time with or without a zone. */
const isoTime = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Converts a client's time to the stored form, under its key. A time without a zone is UTC. Fails with `invalid_input`. */
export function moment<Key extends string>(key: Key, text: string | undefined): { [K in Key]?: string } {
  if (text === undefined) return {};
  const found = isoTime.exec(text);
  const time = new Date(found && found[2] === undefined && text.length > 10 ? `${text}Z` : text);
  if (found && isDay(found[1] as string) && !Number.isNaN(time.getTime())) return { [key]: time.toISOString() } as { [K in Key]?: string };
  const message = found
    ? `'${key}': there is no date and time '${text}'`
    : `'${key}' must be an ISO 8601 time, as 2026-11-22T20:30:00Z or 2026-11-22`;
  throw fail('invalid_input', message, { details: [{ path: key, message }] });
}

/** Returns whether a day exists. `Date` alone would read the 30th of February as a day in March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export interface AuditTrailOptions {
  data: Pick<Data, 'facade' | 'models'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** Days after which a row is deleted. */
  days: number;
}

const day_ms = 24 * 3_600_000;
/** Limit of refusals in the trail, so that attackers can't fill the disk: they take at most about 300 MB. */
const max_refused = 1_000_000;

/** The audit trail: who did what, when and from where, and whose calls were refused. */
export class AuditTrail implements Audit {
  readonly #db: Pick<Database, 'inTransaction'>;
  readonly #rows: AuditRows;
  readonly #refusals: Refusals;
  readonly #clock: Clock;
  readonly #days: number;

  constructor({ data, clock, log, days }: AuditTrailOptions) {
    const db = data.facade('kernel');
    this.#db = db;
    this.#rows = new AuditRows(data);
    this.#refusals = new Refusals(this.#rows, { log });
    this.#clock = clock;
    this.#days = days;
  }

  /** Returns the future row of an operation that begins; undefined if the operation isn't audited. */
  begin(audited: Audited): PendingAudit | undefined {
    return audited.active.operation.audited ? new PendingAudit(this, audited) : undefined;
  }

  now(): string {
    return this.#clock.iso();
  }

  /** Writes a row, in the current transaction if there is one. */
  write(entry: AuditEntry): Promise<void> {
    return this.#rows.insert(entry);
  }

  /** Records a refusal in the background, outside of any transaction: that of the refused call is rolled back. */
  refused(entry: AuditEntry): void {
    this.#refusals.note(entry);
  }

  /** Records that a caller exceeded the rate limit: one row for each caller and minute. */
  exceeded({ caller, request_id }: { caller: Caller; request_id: string }): void {
    const { member_id, door } = caller;
    const address = networkOf(caller.address).slice(0, max_lengths.address);
    const username = caller.username.slice(0, max_lengths.username);
    const about = { operation: over_limit, via: '', target: '', outcome: 'rate_limited', input: {} };
    this.refused({ at: this.now(), member_id, username, door, address, request_id, ...about });
  }

  /**
   * Lists rows, the latest first. Includes refusals up to now, whose counts follow after a minute. Inside a transaction, refusals that are
   * not written yet are left out, because on SQLite they wait for the transaction's end.
   */
  async list({ from, to, ...query }: AuditQuery): Promise<AuditRecord[]> {
    if (!this.#db.inTransaction) await this.#refusals.settled();
    return this.#rows.page({ ...query, ...moment('from', from), ...moment('to', to) });
  }

  /** Deletes rows that are too old, and the oldest refusals if there are too many; returns the number of deleted rows. */
  async sweep(): Promise<number> {
    const oldest = new Date(this.#clock.now() - this.#days * day_ms).toISOString();
    return (await this.#rows.sweep(oldest)) + (await this.#rows.sweepRefused(max_refused));
  }

  dispose(): Promise<void> {
    return this.#refusals.flush();
  }
}
