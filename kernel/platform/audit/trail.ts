import type { Database } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { networkOf } from '../../contract/network.js';
import type { Caller } from '../../contract/operation.js';
import type { AuditEntry, AuditQuery, AuditRecord } from '../../contract/system.js';
import type { Audit, Audited } from '../../core/invoke/audit.js';
import type { Data } from '../data/hub.js';
import { longest, over_limit } from './entry.js';
import { PendingAudit } from './pending.js';
import { Refusals } from './refusals.js';
import { AuditRows } from './rows.js';

const shape = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A time that a client sent, under its key, as it is stored; without a zone it is UTC. Fails with `invalid_input`. */
export function moment<Key extends string>(key: Key, text: string | undefined): { [K in Key]?: string } {
  if (text === undefined) return {};
  const found = shape.exec(text);
  const time = new Date(found && found[2] === undefined && text.length > 10 ? `${text}Z` : text);
  if (found && isDay(found[1] as string) && !Number.isNaN(time.getTime())) return { [key]: time.toISOString() } as { [K in Key]?: string };
  const message = found
    ? `'${key}': there is no date and time '${text}'`
    : `'${key}' must be an ISO 8601 time, as 2026-11-22T20:30:00Z or 2026-11-22`;
  throw fail('invalid_input', message, { details: [{ path: key, message }] });
}

/** Checked here because `Date` takes the 30th of February for a day in March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export interface AuditTrailOptions {
  data: Pick<Data, 'facade' | 'models'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** How many days a row is kept. */
  days: number;
}

const day_ms = 24 * 3_600_000;
/** Whatever is tried, refusals take no more than some 300 MB. */
const max_refused = 1_000_000;

/** The audit trail: who did what, when and from where, and who was refused. */
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

  /** The row to be of an operation that begins; undefined where it leaves none. */
  begin(audited: Audited): PendingAudit | undefined {
    return audited.active.operation.audited ? new PendingAudit(this, audited) : undefined;
  }

  now(): string {
    return this.#clock.iso();
  }

  /** In the transaction that runs here, if one does. */
  write(entry: AuditEntry): Promise<void> {
    return this.#rows.insert(entry);
  }

  /** Outside of any transaction, in its own time. */
  refused(entry: AuditEntry): void {
    this.#refusals.note(entry);
  }

  /** Somebody was over the limit of requests: it is no operation's row yet, and there is one for each who is, and minute. */
  exceeded({ caller, request_id }: { caller: Caller; request_id: string }): void {
    const { member_id, door } = caller;
    const address = networkOf(caller.address).slice(0, longest.address);
    const username = caller.username.slice(0, longest.username);
    const about = { operation: over_limit, via: '', target: '', outcome: 'rate_limited', input: {} };
    this.refused({ at: this.now(), member_id, username, door, address, request_id, ...about });
  }

  /**
   * The latest first; refusals up to now are among them, how often each was is known after a minute. Inside a transaction those that
   * are still to be written are left out: on SQLite they wait for its end.
   */
  async list({ from, to, ...query }: AuditQuery): Promise<AuditRecord[]> {
    if (!this.#db.inTransaction) await this.#refusals.settled();
    return this.#rows.page({ ...query, ...moment('from', from), ...moment('to', to) });
  }

  /** Removes what is too old, and the oldest refusals where there are too many; gives how many rows. */
  async sweep(): Promise<number> {
    const oldest = new Date(this.#clock.now() - this.#days * day_ms).toISOString();
    return (await this.#rows.sweep(oldest)) + (await this.#rows.sweepRefused(max_refused));
  }

  dispose(): Promise<void> {
    return this.#refusals.flush();
  }
}
