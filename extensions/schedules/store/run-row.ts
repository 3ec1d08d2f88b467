import type { Run } from '../contract.js';
import type { RunRow } from '../models.js';
import type { AttemptEnd } from './runs-sql.js';

/** The columns of a run in answers. */
export const recordColumns = [
  'id',
  'schedule_id',
  'status',
  'cause',
  'scheduled_for',
  'missed_until',
  'missed_count',
  'started_at',
  'finished_at',
  'result',
  'error_code',
  'attempt',
  'duration_ms',
  'session_id',
  'task_id',
] as const satisfies (keyof RunRow)[];

export type RecordRow = Pick<RunRow, (typeof recordColumns)[number]>;

export function toRun(row: RecordRow): Run {
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

/** Returns the run as the end of its attempt leaves it. */
export function endedRun(run: Run, end: AttemptEnd): Run {
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

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
