import { contains, type Database, Op, orderByIndex, rowsOfJson, skipLocked } from '../../../kernel/contract/index.js';
import type { NewSchedule, RunStatus, ScheduleQuery } from '../contract.js';
import type { Models, ScheduleRow } from '../models.js';
import { isWaiting } from './runs-sql.js';

/** A schedule's row. The table has no booleans. */
export type StoredSchedule = Omit<ScheduleRow, 'search' | 'enabled'> & { enabled: boolean };

/** Columns of a created or changed schedule. */
export type Settings = Required<NewSchedule> & Pick<StoredSchedule, 'created_by' | 'room_id' | 'next_at' | 'disabled_reason'>;

/** State of a schedule after its planned time was handled. */
export type Advance = Pick<StoredSchedule, 'id' | 'next_at'>;

/** Consequences of ended runs for a schedule. */
export interface Tally {
  id: number;
  /** Whether the failure count restarts at the last success. */
  successes: number;
  /** Number of failures, after that success if there was one. */
  failed: number;
  last_status: RunStatus;
}

const dueColumns = ['id', 'trigger_type', 'trigger_value', 'timezone', 'overlap_policy', 'catch_up', 'next_at'] as const;

/** The columns needed for planning. */
export type DueSchedule = Pick<StoredSchedule, (typeof dueColumns)[number]>;

const visible = { attributes: { exclude: ['search'] }, raw: true };

/** One of the runs that wait for another to end. Not EXISTS: PostgreSQL would gather all waiting runs of every schedule. */
const first_queued_run = `(SELECT q.id FROM schedules_runs q WHERE q.schedule_id = schedules_schedules.id AND ${isWaiting('q')} LIMIT 1)`;

/** Table `schedules_schedules`. */
export class ScheduleStore {
  readonly #db: Database;
  readonly #model: Models['schedules'];

  constructor(db: Database, model: Models['schedules']) {
    this.#db = db;
    this.#model = model;
  }

  async insert(settings: Settings, now: string): Promise<StoredSchedule> {
    const schedule = { ...settings, created_at: now, updated_at: now, failures: 0, last_status: null };
    const { id } = await this.#model.create(toRow(schedule));
    return { ...schedule, id };
  }

  /** Changes a locked schedule. Restarts the failure count. */
  async update(stored: StoredSchedule, settings: Settings, now: string): Promise<StoredSchedule> {
    const changed = { ...stored, ...settings, updated_at: now, failures: 0 };
    const { id, ...row } = toRow(changed);
    await this.#model.update(row, { where: { id } });
    return changed;
  }

  async delete(id: number): Promise<void> {
    await this.#model.destroy({ where: { id } });
  }

  async find(id: number): Promise<StoredSchedule | undefined> {
    const row = await this.#model.findOne({ ...visible, where: { id } });
    return row ? toStored(row) : undefined;
  }

  /** Reads a schedule that the current transaction changes. */
  async lock(id: number): Promise<StoredSchedule | undefined> {
    const row = await this.#model.findOne({ ...visible, where: { id }, lock: true });
    return row ? toStored(row) : undefined;
  }

  /** Returns a page of matches, oldest first, and their number. */
  async page({ enabled, action, keyword, limit, offset }: ScheduleQuery): Promise<{ items: StoredSchedule[]; total: number }> {
    const where = {
      ...(enabled !== undefined && { enabled: bit(enabled) }),
      ...(action && { action }),
      ...(keyword && { [Op.and]: [contains(this.#db, 'search', keyword.toLowerCase())] }),
    };
    const { rows, count } = await this.#model.findAndCountAll({ ...visible, where, order: ['id'], limit, offset });
    return { items: rows.map(toStored), total: count };
  }

  /** Benchmark row `schedules`: runs five times a second. A read that doesn't wait for writers. */
  async anyDue(now: number): Promise<boolean> {
    return (await this.#db.rows('SELECT 1 AS due FROM schedules_schedules WHERE next_at <= $1 LIMIT 1', [now])).length > 0;
  }

  /**
   * A claim with SKIP LOCKED: due schedules, the longest waiting first, without those that another instance is
   * claiming. No further order: all that are due at one moment would be sorted for each batch.
   */
  async due(now: number, limit: number): Promise<DueSchedule[]> {
    await orderByIndex(this.#db);
    const claim = `SELECT ${dueColumns.join()} FROM schedules_schedules WHERE next_at <= $1 ORDER BY next_at LIMIT $2 ${skipLocked(this.#db)}`;
    return this.#db.rows<DueSchedule>(claim, [now, limit], { often: true });
  }

  /** Benchmark row `schedules`: advances hundreds in one statement. A schedule without a next time is disabled. */
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
   * Benchmark row `schedules`: counts all ended runs in one statement. Disables those that failed `max` times in a
   * row, and returns these and the ids of those with a queued run. Requires the schedules' locks.
   */
  async count(tallies: readonly Tally[], max: number): Promise<{ stopped: StoredSchedule[]; followed: number[] }> {
    if (tallies.length === 0) return { stopped: [], followed: [] };
    const counted = { id: 'INTEGER', successes: 'INTEGER', failed: 'INTEGER', last_status: 'TEXT' } as const;
    const rows = await this.#db.rows<{ id: number; follower: number | null }>(
      `UPDATE schedules_schedules SET last_status = r.last_status, failures = r.failed + CASE WHEN r.successes > 0 THEN 0 ELSE failures END
       FROM ${rowsOfJson(this.#db, counted)} WHERE schedules_schedules.id = r.id
       RETURNING schedules_schedules.id, ${first_queued_run} AS follower`,
      [JSON.stringify(tallies)],
      { often: true },
    );
    const followed = rows.flatMap(({ id, follower }) => (follower === null ? [] : [id]));
    return { stopped: await this.#disableFailing(tallies, max), followed };
  }

  async #disableFailing(tallies: readonly Tally[], max: number): Promise<StoredSchedule[]> {
    const failing = tallies.filter(({ failed }) => failed > 0).map(({ id }) => id);
    if (failing.length === 0) return [];
    const found = await this.#model.findAll({ ...visible, where: { id: failing, enabled: 1, failures: { [Op.gte]: max } } });
    if (found.length === 0) return [];
    const end = { enabled: 0, next_at: null, disabled_reason: 'five_failures' } as const;
    await this.#model.update(end, { where: { id: found.map(({ id }) => id) } });
    return found.map((row) => toStored({ ...(row as ScheduleRow), ...end }));
  }

  /** Disables schedules whose room is gone. */
  async disableWithoutRoom(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#model.update({ enabled: 0, next_at: null, disabled_reason: 'room_gone' }, { where: { id: [...ids] } });
  }

  /** Returns the ids of all schedules of a member. */
  async idsOf(created_by: number): Promise<number[]> {
    return (await this.#model.findAll({ attributes: ['id'], where: { created_by }, raw: true })).map(({ id }) => id);
  }

  /**
   * Disables all schedules of a member who is deleted or became inactive; those that were already disabled keep their
   * reason. RETURNING lists the changed ones: another transaction may enable or disable one in between.
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

function toRow<Part extends Pick<StoredSchedule, 'name' | 'enabled'>>({ enabled, ...stored }: Part) {
  return { ...stored, search: stored.name.toLowerCase(), enabled: bit(enabled) };
}

function toStored({ enabled, ...row }: Omit<ScheduleRow, 'search'>): StoredSchedule {
  return { ...row, enabled: enabled === 1 };
}

function bit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
