import { contains, type Database, Op, orderByIndex, rowsOfJson, skipLocked } from '../../../kernel/contract/index.js';
import type { NewSchedule, RunStatus, ScheduleQuery } from '../contract.js';
import type { Models, ScheduleRow } from '../models.js';
import { isWaiting } from './runs-sql.js';

/** A schedule as it is stored. The table has no booleans. */
export type Stored = Omit<ScheduleRow, 'search' | 'enabled'> & { enabled: boolean };

/** The settings that are stored of one that is made or changed. */
export type Settings = Required<NewSchedule> & Pick<Stored, 'created_by' | 'next_at' | 'disabled_reason'>;

/** Where a schedule stands after its planned time was taken. */
export type Advance = Pick<Stored, 'id' | 'next_at'>;

/** Counts the runs of a schedule that have ended. */
export interface Tally {
  id: number;
  /** Failures are counted anew from the last of them. */
  successes: number;
  /** Failures, after that success where there was one. */
  failed: number;
  last_status: RunStatus;
}

const dueColumns = ['id', 'trigger_type', 'trigger_value', 'timezone', 'overlap_policy', 'catch_up', 'next_at'] as const;

/** The part of a schedule that its planned times are made of, and what becomes of them. */
export type DueSchedule = Pick<Stored, (typeof dueColumns)[number]>;

const visible = { attributes: { exclude: ['search'] }, raw: true };

/** One of the runs that wait for the end of another. No EXISTS: PostgreSQL would gather all that wait, of whichever schedule. */
const follower = `(SELECT q.id FROM schedules_runs q WHERE q.schedule_id = schedules_schedules.id AND ${isWaiting('q')} LIMIT 1)`;

/** Table `schedules_schedules`. */
export class ScheduleStore {
  readonly #db: Database;
  readonly #model: Models['schedules'];

  constructor(db: Database, model: Models['schedules']) {
    this.#db = db;
    this.#model = model;
  }

  async insert(settings: Settings, now: string): Promise<Stored> {
    const made = { ...settings, created_at: now, updated_at: now, failures: 0, last_status: null };
    const { id } = await this.#model.create(toRow(made));
    return { ...made, id };
  }

  /** Changes one that is locked. Failures are counted anew. */
  async update(stored: Stored, settings: Settings, now: string): Promise<Stored> {
    const changed = { ...stored, ...settings, updated_at: now, failures: 0 };
    const { id, ...row } = toRow(changed);
    await this.#model.update(row, { where: { id } });
    return changed;
  }

  async delete(id: number): Promise<void> {
    await this.#model.destroy({ where: { id } });
  }

  async find(id: number): Promise<Stored | undefined> {
    const row = await this.#model.findOne({ ...visible, where: { id } });
    return row ? toStored(row) : undefined;
  }

  /** The same, for one that is changed in the transaction that runs here. */
  async lock(id: number): Promise<Stored | undefined> {
    const row = await this.#model.findOne({ ...visible, where: { id }, lock: true });
    return row ? toStored(row) : undefined;
  }

  /** A page of those that match, the oldest first, and how many there are. */
  async page({ enabled, action, keyword, limit, offset }: ScheduleQuery): Promise<{ items: Stored[]; total: number }> {
    const where = {
      ...(enabled !== undefined && { enabled: bit(enabled) }),
      ...(action && { action }),
      ...(keyword && { [Op.and]: [contains(this.#db, 'search', keyword.toLowerCase())] }),
    };
    const { rows, count } = await this.#model.findAndCountAll({ ...visible, where, order: ['id'], limit, offset });
    return { items: rows.map(toStored), total: count };
  }

  /** Benchmark row `schedules`: asked five times a second. A look that takes no turn among the writes. */
  async anyDue(now: number): Promise<boolean> {
    return (await this.#db.rows('SELECT 1 AS due FROM schedules_schedules WHERE next_at <= $1 LIMIT 1', [now])).length > 0;
  }

  /**
   * A claim by SKIP LOCKED: those that are due, the longest waiting first, without those that another instance is just taking. In no
   * order beside: all that are due at one moment would be sorted for each portion of them.
   */
  async due(now: number, limit: number): Promise<DueSchedule[]> {
    await orderByIndex(this.#db);
    const claim = `SELECT ${dueColumns.join()} FROM schedules_schedules WHERE next_at <= $1 ORDER BY next_at LIMIT $2 ${skipLocked(this.#db)}`;
    return this.#db.rows<DueSchedule>(claim, [now, limit], { often: true });
  }

  /** Benchmark row `schedules`: moves hundreds on in one statement. One without a next time has had its last: it is disabled. */
  async advance(changes: readonly Advance[]): Promise<void> {
    if (changes.length === 0) return;
    await this.#db.run(
      `UPDATE schedules_schedules SET next_at = r.next_at, enabled = CASE WHEN r.next_at IS NULL THEN 0 ELSE enabled END,
         disabled_reason = CASE WHEN r.next_at IS NULL THEN 'done' ELSE disabled_reason END
       FROM ${rowsOfJson(this.#db, { id: 'INTEGER', next_at: 'BIGINT' })} WHERE schedules_schedules.id = r.id`,
      [JSON.stringify(changes)],
      { often: true },
    );
  }

  /**
   * Benchmark row `schedules`: counts all that has ended in one statement. Disables those that have failed `max` times in a row, and
   * gives these, and the ids of those of which a run waits for its turn. For schedules that are held.
   */
  async count(tallies: readonly Tally[], max: number): Promise<{ stopped: Stored[]; followed: number[] }> {
    if (tallies.length === 0) return { stopped: [], followed: [] };
    const counted = { id: 'INTEGER', successes: 'INTEGER', failed: 'INTEGER', last_status: 'TEXT' } as const;
    const rows = await this.#db.rows<{ id: number; follower: number | null }>(
      `UPDATE schedules_schedules SET last_status = r.last_status, failures = r.failed + CASE WHEN r.successes > 0 THEN 0 ELSE failures END
       FROM ${rowsOfJson(this.#db, counted)} WHERE schedules_schedules.id = r.id
       RETURNING schedules_schedules.id, ${follower} AS follower`,
      [JSON.stringify(tallies)],
      { often: true },
    );
    const followed = rows.flatMap(({ id, follower }) => (follower === null ? [] : [id]));
    return { stopped: await this.#stop(tallies, max), followed };
  }

  async #stop(tallies: readonly Tally[], max: number): Promise<Stored[]> {
    const failing = tallies.filter(({ failed }) => failed > 0).map(({ id }) => id);
    if (failing.length === 0) return [];
    const found = await this.#model.findAll({ ...visible, where: { id: failing, enabled: 1, failures: { [Op.gte]: max } } });
    if (found.length === 0) return [];
    const end = { enabled: 0, next_at: null, disabled_reason: 'five_failures' } as const;
    await this.#model.update(end, { where: { id: found.map(({ id }) => id) } });
    return found.map((row) => toStored({ ...(row as ScheduleRow), ...end }));
  }

  /** The ids of all that a member has. */
  async idsOf(created_by: number): Promise<number[]> {
    return (await this.#model.findAll({ attributes: ['id'], where: { created_by }, raw: true })).map(({ id }) => id);
  }

  /**
   * Disables all of a member who is gone or became inactive; those that were disabled before keep their reason. RETURNING tells which
   * ones it were: another transaction may enable or disable one meanwhile.
   */
  async disableOf(member_id: number, reason: 'creator_gone' | 'creator_inactive'): Promise<number[]> {
    const which = reason === 'creator_gone' ? '' : 'AND enabled = 1';
    const rows = await this.#db.rows<{ id: number }>(
      `UPDATE schedules_schedules SET enabled = 0, next_at = NULL, disabled_reason = $2 WHERE created_by = $1 ${which} RETURNING id`,
      [member_id, reason],
    );
    return rows.map(({ id }) => id);
  }
}

function toRow<Part extends Pick<Stored, 'name' | 'enabled'>>({ enabled, ...stored }: Part) {
  return { ...stored, search: stored.name.toLowerCase(), enabled: bit(enabled) };
}

function toStored({ enabled, ...row }: Omit<ScheduleRow, 'search'>): Stored {
  return { ...row, enabled: enabled === 1 };
}

function bit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
