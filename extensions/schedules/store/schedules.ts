import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import type { DisabledReason, NewSchedule, RunStatus, Schedule, ScheduleQuery } from '../contract.js';
import { given, inOrder, isWaiting, places } from './rows.js';

interface Row {
  id: number;
  name: string;
  trigger_type: Schedule['trigger_type'];
  trigger_value: string;
  timezone: string;
  action: string;
  params: string;
  enabled: number;
  overlap_policy: Schedule['overlap_policy'];
  catch_up: Schedule['catch_up'];
  timeout_s: number;
  retries: number;
  retry_delay_s: number;
  notify: Schedule['notify'];
  created_by: number;
  created_at: string;
  updated_at: string;
  next_at: number | string | null;
  disabled_reason: DisabledReason | null;
  failures: number;
  last_status: RunStatus | null;
}

/** A schedule as it is stored: its record, and its next planned time in ms. */
export type Stored = Omit<Schedule, 'next_run_at'> & { next_at: number | null };

/** What is stored of one that is made or changed. */
export type Settings = Required<NewSchedule> & Pick<Stored, 'created_by' | 'next_at' | 'disabled_reason'>;

/** Where a schedule stands after its planned time was taken. */
export interface Advance {
  id: number;
  next_at: number | null;
}

/** What the runs that have ended mean for a schedule. */
export interface Tally {
  id: number;
  /** Failures are counted anew from the last of them. */
  successes: number;
  /** Failures, after that success where there was one. */
  failed: number;
  last_status: RunStatus;
}

const columns = `id, name, trigger_type, trigger_value, timezone, action, params, enabled, overlap_policy, catch_up, timeout_s, retries,
  retry_delay_s, notify, created_by, created_at, updated_at, next_at, disabled_reason, failures, last_status`;

const dueColumns = ['id', 'trigger_type', 'trigger_value', 'timezone', 'overlap_policy', 'catch_up', 'next_at'] as const;
const runColumns = ['id', 'name', 'action', 'params', 'timeout_s', 'retries', 'retry_delay_s', 'notify', 'created_by'] as const;

/** What its planned times, and what becomes of them, are made of. */
export type DueSchedule = Pick<Stored, (typeof dueColumns)[number]>;

/** What a run of it needs to know. */
export type RunSchedule = Pick<Stored, (typeof runColumns)[number]>;

/** A statement's column: what a run of the schedule with an id needs, as JSON; null where there is none. */
export function scheduleAsJson(dialect: Database['dialect'], id: string): string {
  const json = dialect === 'postgres' ? 'json_build_object' : 'json_object';
  const entries = runColumns.map((column) => `'${column}', s.${column}`);
  return `CAST((SELECT ${json}(${entries.join()}) FROM schedules_schedules s WHERE s.id = ${id}) AS TEXT)`;
}

/** What such a column has given. */
export function scheduleOfJson(json: string): RunSchedule {
  const row = JSON.parse(json) as Pick<Row, (typeof runColumns)[number]>;
  return Object.assign(row, { params: JSON.parse(row.params) as object });
}

/** One of the runs that wait for the end of another. No EXISTS: PostgreSQL would gather all that wait, of whichever schedule. */
const follower = `(SELECT q.id FROM schedules_runs q WHERE q.schedule_id = schedules_schedules.id AND ${isWaiting('q')} LIMIT 1)`;

/** Table `schedules_schedules`. */
export class ScheduleStore {
  readonly #db: Database;
  readonly #skip_locked: string;

  constructor(db: Database) {
    this.#db = db;
    this.#skip_locked = db.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
  }

  async insert(settings: Settings, now: string): Promise<Stored> {
    const { values, list } = settingsOf(settings);
    const [row] = await this.#db.rows<Row>(
      `INSERT INTO schedules_schedules (${settingColumns.join()}, created_at, updated_at, failures)
       VALUES (${list.join()}, $${values.push(now)}, $${values.push(now)}, 0) RETURNING ${columns}`,
      values,
    );
    return toStored(row as Row);
  }

  /** Undefined where there is none any more. A change counts failures anew. */
  async update(id: number, settings: Settings, now: string): Promise<Stored | undefined> {
    const { values, list } = settingsOf(settings);
    const assignments = settingColumns.map((column, index) => `${column} = ${list[index]}`);
    const [row] = await this.#db.rows<Row>(
      `UPDATE schedules_schedules SET ${assignments.join()}, updated_at = $${values.push(now)}, failures = 0
       WHERE id = $${values.push(id)} RETURNING ${columns}`,
      values,
    );
    return row && toStored(row);
  }

  async delete(id: number): Promise<void> {
    await this.#db.run('DELETE FROM schedules_schedules WHERE id = $1', [id]);
  }

  async find(id: number): Promise<Stored | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM schedules_schedules WHERE id = $1`, [id]);
    return row && toStored(row);
  }

  /** The same, for one that is changed in the transaction that runs here. */
  async lock(id: number): Promise<Stored | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM schedules_schedules WHERE id = $1 FOR UPDATE`, [id]);
    return row && toStored(row);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Stored>> {
    const rows = await this.#db.rows<Row>(`SELECT ${columns} FROM schedules_schedules WHERE id IN (${places(ids)})`, ids);
    return new Map(rows.map((row) => [row.id, toStored(row)]));
  }

  /** A page of those that match, the oldest first, and how many there are. */
  async page({ enabled, action, keyword, limit, offset }: ScheduleQuery): Promise<{ items: Stored[]; total: number }> {
    const values: SqlValue[] = [];
    const wanted: string[] = [];
    if (enabled !== undefined) wanted.push(`enabled = $${values.push(enabled ? 1 : 0)}`);
    if (action) wanted.push(`action = $${values.push(action)}`);
    if (keyword) wanted.push(`search LIKE $${values.push(`%${escaped(keyword.toLowerCase())}%`)} ESCAPE '!'`);
    // SQLite counts a whole table without looking at its rows, where nothing else is asked for.
    const where = wanted.length > 0 ? `WHERE ${wanted.join(' AND ')}` : '';
    const part = `ORDER BY id LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
    const [[count], rows] = await Promise.all([
      this.#db.rows<{ total: number | string }>(`SELECT count(*) AS total FROM schedules_schedules ${where}`, values),
      this.#db.rows<Row>(`SELECT ${columns} FROM schedules_schedules ${where} ${part}`, [...values, limit, offset]),
    ]);
    return { items: rows.map(toStored), total: Number(count?.total ?? 0) };
  }

  /** A look that takes no turn among the writes. */
  async anyDue(now: number): Promise<boolean> {
    return (await this.#db.rows('SELECT 1 AS due FROM schedules_schedules WHERE next_at <= $1 LIMIT 1', [now])).length > 0;
  }

  /**
   * Those that are due, the longest waiting first. On PostgreSQL without those that another instance is just taking. In no
   * order beside: all that are due at one moment would be sorted for each portion of them.
   */
  async due(now: number, limit: number): Promise<DueSchedule[]> {
    await inOrder(this.#db);
    const rows = await this.#db.rows<Pick<Row, (typeof dueColumns)[number]>>(
      `SELECT ${dueColumns.join()} FROM schedules_schedules WHERE next_at <= $1 ORDER BY next_at LIMIT $2 ${this.#skip_locked}`,
      [now, limit],
      { often: true },
    );
    return rows.map((row) => Object.assign(row, { next_at: Number(row.next_at) }));
  }

  /** Moves them on. One without a next time has had its last: it is disabled. */
  async advance(changes: readonly Advance[]): Promise<void> {
    if (changes.length === 0) return;
    await this.#db.run(
      `UPDATE schedules_schedules SET next_at = r.next_at, enabled = CASE WHEN r.next_at IS NULL THEN 0 ELSE enabled END,
         disabled_reason = CASE WHEN r.next_at IS NULL THEN 'done' ELSE disabled_reason END
       FROM ${given(this.#db.dialect, { id: 'INTEGER', next_at: 'BIGINT' })} WHERE schedules_schedules.id = r.id`,
      [JSON.stringify(changes)],
      { often: true },
    );
  }

  /**
   * Counts what has ended; disables those that have failed `most` times in a row, and gives these, and the ids of those of
   * which a run waits for its turn. For schedules that are held.
   */
  async count(tallies: readonly Tally[], most: number): Promise<{ stopped: Stored[]; followed: number[] }> {
    if (tallies.length === 0) return { stopped: [], followed: [] };
    const counted = { id: 'INTEGER', successes: 'INTEGER', failed: 'INTEGER', last_status: 'TEXT' } as const;
    const rows = await this.#db.rows<{ id: number; follower: number | null }>(
      `UPDATE schedules_schedules SET last_status = r.last_status, failures = r.failed + CASE WHEN r.successes > 0 THEN 0 ELSE failures END
       FROM ${given(this.#db.dialect, counted)} WHERE schedules_schedules.id = r.id
       RETURNING schedules_schedules.id, ${follower} AS follower`,
      [JSON.stringify(tallies)],
      { often: true },
    );
    const followed = rows.flatMap(({ id, follower }) => (follower === null ? [] : [id]));
    return { stopped: await this.#stop(tallies, most), followed };
  }

  async #stop(tallies: readonly Tally[], most: number): Promise<Stored[]> {
    const failing = tallies.filter(({ failed }) => failed > 0).map(({ id }) => id);
    if (failing.length === 0) return [];
    const stopped = await this.#db.rows<Row>(
      `UPDATE schedules_schedules SET enabled = 0, next_at = NULL, disabled_reason = 'five_failures'
       WHERE enabled = 1 AND failures >= ${most} AND id IN (${places(failing)}) RETURNING ${columns}`,
      failing,
    );
    return stopped.map(toStored);
  }

  /** The ids of all that a member has. */
  async idsOf(member_id: number): Promise<number[]> {
    const rows = await this.#db.rows<{ id: number }>('SELECT id FROM schedules_schedules WHERE created_by = $1', [member_id]);
    return rows.map(({ id }) => id);
  }

  /** Disables all of a member who is gone or became inactive; gives their ids. Those that were disabled before keep their reason. */
  async disableOf(member_id: number, reason: 'creator_gone' | 'creator_inactive'): Promise<number[]> {
    const which = reason === 'creator_gone' ? '' : 'AND enabled = 1';
    const rows = await this.#db.rows<{ id: number }>(
      `UPDATE schedules_schedules SET enabled = 0, next_at = NULL, disabled_reason = $2 WHERE created_by = $1 ${which} RETURNING id`,
      [member_id, reason],
    );
    return rows.map(({ id }) => id);
  }
}

const settingColumns = [
  'name',
  'search',
  'trigger_type',
  'trigger_value',
  'timezone',
  'action',
  'params',
  'enabled',
  'overlap_policy',
  'catch_up',
  'timeout_s',
  'retries',
  'retry_delay_s',
  'notify',
  'created_by',
  'next_at',
  'disabled_reason',
];

function settingsOf(settings: Settings): { values: SqlValue[]; list: string[] } {
  const { name, params, enabled } = settings;
  const stored = { ...settings, search: name.toLowerCase(), params: JSON.stringify(params), enabled: enabled ? 1 : 0 };
  const values: SqlValue[] = [];
  const list = settingColumns.map((column) => `$${values.push(stored[column as keyof typeof stored] as SqlValue)}`);
  return { values, list };
}

function toStored(row: Row): Stored {
  const { params, enabled, next_at } = row;
  return { ...row, params: JSON.parse(params) as object, enabled: enabled === 1, next_at: next_at === null ? null : Number(next_at) };
}

function escaped(keyword: string): string {
  return keyword.replace(/[!%_]/g, '!$&');
}
