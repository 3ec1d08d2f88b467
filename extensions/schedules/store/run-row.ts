import type { Run, RunStatus, RunTrigger } from '../contract.js';
import type { Ended } from './runs.js';

/** A row of the table `schedules_runs`, as far as it is shown. */
export interface Row {
  id: number;
  schedule_id: number;
  status: RunStatus;
  cause: RunTrigger;
  scheduled_for: number | string;
  missed_until: number | string | null;
  missed_count: number | null;
  started_at: number | string;
  finished_at: number | string | null;
  result: string;
  error_code: string | null;
  attempt: number;
  duration_ms: number | null;
  session_id: string | null;
  task_id: string | null;
}

export const columns = `id, schedule_id, status, cause, scheduled_for, missed_until, missed_count, started_at, finished_at, result, error_code, attempt,
  duration_ms, session_id, task_id`;

export function toRun(row: Row): Run {
  return {
    id: row.id,
    schedule_id: row.schedule_id,
    status: row.status,
    trigger: row.cause,
    scheduled_for: isoOf(row.scheduled_for),
    missed_until: row.missed_until === null ? null : isoOf(row.missed_until),
    missed_count: row.missed_count,
    started_at: isoOf(row.started_at),
    finished_at: row.finished_at === null ? null : isoOf(row.finished_at),
    result: row.result,
    error_code: row.error_code,
    attempt: row.attempt,
    duration_ms: row.duration_ms,
    session_id: row.session_id,
    task_id: row.task_id,
  };
}

/** The run as the end of its attempt leaves it. */
export function endedRun(run: Run, end: Ended): Run {
  return {
    ...run,
    status: end.status,
    finished_at: end.finished_at === null ? null : isoOf(end.finished_at),
    result: end.result,
    error_code: end.error_code,
    duration_ms: end.duration_ms,
    session_id: end.session_id,
    task_id: end.task_id,
  };
}

function isoOf(ms: number | string): string {
  return new Date(Number(ms)).toISOString();
}
