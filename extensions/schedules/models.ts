import { type Database, Op, type RowOf } from '../../kernel/contract/index.js';
import type { CatchUp, DisabledReason, Notify, OverlapPolicy, RunStatus, RunTrigger, TriggerType } from './contract.js';

/** Schedules. Times that are compared are in ms since the epoch. */
function schedules(db: Database) {
  const { string, text, integer, bigint, json, time } = db.columns;
  return db.define(
    'schedules',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      name: string(200),
      /** The name in lower case. */
      search: text(),
      trigger_type: string<TriggerType>(16),
      trigger_value: string(400),
      timezone: string(64),
      action: string(128),
      /** The action's input with encrypted secrets. */
      params: json<object>(),
      enabled: integer<0 | 1>(),
      overlap_policy: string<OverlapPolicy>(16),
      catch_up: string<CatchUp>(16),
      timeout_s: integer(),
      retries: integer(),
      retry_delay_s: integer(),
      notify: string<Notify>(16),
      /** The member whose permissions apply. */
      created_by: integer(),
      /** The room from which an AI employee created it: each run has only the rights of that room. */
      room_id: string(36, { allowNull: true }),
      created_at: time(),
      updated_at: time(),
      /** Null while disabled. */
      next_at: bigint({ allowNull: true }),
      disabled_reason: string<DisabledReason>(16, { allowNull: true }),
      /** Number of failed runs in a row. */
      failures: integer(),
      last_status: string<RunStatus>(16, { allowNull: true }),
    },
    {
      indexes: [
        { name: 'schedules_schedules_due', fields: ['next_at'], where: { next_at: { [Op.ne]: null } } },
        { name: 'schedules_schedules_creator', fields: ['created_by'] },
      ],
    },
  );
}

/** Runs: the waiting ones, which form a job queue, and the history. */
function runs(db: Database) {
  const { string, text, integer, bigint } = db.columns;
  return db.define(
    'runs',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      schedule_id: integer(),
      status: string<RunStatus>(16),
      cause: string<RunTrigger>(16),
      scheduled_for: bigint(),
      missed_until: bigint({ allowNull: true }),
      missed_count: integer({ allowNull: true }),
      /** The time of the record; overwritten by the start. */
      started_at: bigint(),
      /** Null while open. */
      finished_at: bigint({ allowNull: true }),
      result: text(),
      error_code: string(64, { allowNull: true }),
      attempt: integer(),
      duration_ms: integer({ allowNull: true }),
      session_id: string(36, { allowNull: true }),
      task_id: string(36, { allowNull: true }),
      /** The process that runs it. */
      owner: string(64, { allowNull: true }),
      /** End of that process's lease, in ms of the database's clock. */
      lease_until: bigint({ allowNull: true }),
      /** The earliest time to start; null while it waits for another run to end. */
      ready_at: bigint({ allowNull: true }),
    },
    {
      indexes: [
        // A planned time has one row, even if clocks change.
        { name: 'schedules_runs_planned', fields: ['schedule_id', 'scheduled_for'], unique: true, where: { cause: 'schedule' } },
        { name: 'schedules_runs_history', fields: ['schedule_id', 'id'] },
        { name: 'schedules_runs_age', fields: ['started_at'] },
        { name: 'schedules_runs_open', fields: ['schedule_id'], where: { status: ['queued', 'running'] } },
        { name: 'schedules_runs_ready', fields: ['ready_at', 'id'], where: { status: 'queued' } },
        { name: 'schedules_runs_owner', fields: ['owner'], where: { status: 'running' } },
      ],
    },
  );
}

/** The tables of this extension. */
export const defineModels = (db: Database) => ({ schedules: schedules(db), runs: runs(db) });

export type Models = ReturnType<typeof defineModels>;
export type ScheduleRow = RowOf<Models['schedules']>;
export type RunRow = RowOf<Models['runs']>;
