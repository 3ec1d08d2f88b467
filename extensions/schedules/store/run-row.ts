import type { Run, RunStatus, RunTrigger } from '../contract.js';

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
  const { cause: trigger, scheduled_for, missed_until, started_at, finished_at, ...rest } = row;
  return {
    id: rest.id,
    schedule_id: rest.schedule_id,
    status: rest.status,
    trigger,
    scheduled_for: isoOf(Number(scheduled_for)),
    missed_until: missed_until === null ? null : isoOf(Number(missed_until)),
    missed_count: rest.missed_count,
    started_at: isoOf(Number(started_at)),
    finished_at: finished_at === null ? null : isoOf(Number(finished_at)),
    result: rest.result,
    error_code: rest.error_code,
    attempt: rest.attempt,
    duration_ms: rest.duration_ms,
    session_id: rest.session_id,
    task_id: rest.task_id,
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
