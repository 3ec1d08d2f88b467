import type { Contract } from '../../kernel/contract/index.js';
import type { TriggerType } from './triggers/trigger.js';

export interface Schedules extends Contract {
  id: 'schedules';
  api: SchedulesApi;
  service: object;
  events: SchedulesEvents;
}

export type SchedulesApi = {
  'schedules.list': { input: ScheduleQuery; answer: SchedulePage };
  'schedules.get': { input: { id: number }; answer: Schedule };
  'schedules.create': { input: NewSchedule; answer: Schedule };
  'schedules.update': { input: { id: number } & Partial<NewSchedule>; answer: Schedule };
  'schedules.delete': { input: { id: number }; answer: undefined };
  'schedules.toggle': { input: { id: number }; answer: Schedule };
  'schedules.run': { input: { id: number }; answer: StartedRun };
  'schedules.history': { input: RunQuery & { id: number }; answer: RunPage };
  'schedules.run_record': { input: { id: number; run_id: number }; answer: Run };
  'schedules.cancel': { input: { id: number; run_id: number }; answer: Run };
  'schedules.preview': { input: { id: number; count: number }; answer: Preview };
  'schedules.preview_new': { input: NewTrigger & { count: number }; answer: Preview };
  'http.request': { input: HttpRequest; answer: HttpAnswer };
};

export type { TriggerType };

/** Policy if a schedule is due while one of its runs is open: the new run is skipped, waits its turn, or replaces the open one. */
export type OverlapPolicy = 'skip' | 'queue' | 'replace';

/** Policy after a gap in which nothing could run: one run for the latest planned time, or none. */
export type CatchUp = 'latest' | 'none';

/** The runs that the creator is notified of. */
export type Notify = 'failure' | 'always' | 'never';

/**
 * Why the platform disabled a schedule: its single time has passed, five runs in a row failed, its creator is gone or inactive, or the room
 * from which it was created, or the session in its params, is gone or without its creator.
 */
export type DisabledReason = 'done' | 'five_failures' | 'creator_gone' | 'creator_inactive' | 'room_gone';

/** Timing of a schedule. */
export interface NewTrigger {
  trigger_type: TriggerType;
  /** `0 9 * * 1-5`; `15m`, `2h`; `2027-01-31T09:00:00Z`, or without an offset in the local time of `timezone`. */
  trigger_value: string;
  /** A name from the time zone database, for cron expressions and times without an offset. Default `UTC`. */
  timezone?: string;
}

export interface NewSchedule extends NewTrigger {
  /** From 1 to 200 characters. */
  name: string;
  /**
   * Id of an operation that schedules may run. For one that streams, the end of the text is the result; a run whose
   * command exits with a code other than 0 fails with `command_failed`.
   */
  action: string;
  /** Input of the operation; at most 64 KiB of JSON. */
  params?: object;
  /** Default true. */
  enabled?: boolean;
  /** Default `skip`. */
  overlap_policy?: OverlapPolicy;
  /** Default `latest`. */
  catch_up?: CatchUp;
  /** Timeout of an attempt. 1 to 86,400; default 300. */
  timeout_s?: number;
  /** Number of retries after a failure, 0 to 10. Default 0. */
  retries?: number;
  /** Pause before the first retry in seconds, 1 to 3,600; doubled before each further one, up to an hour. Default 10. */
  retry_delay_s?: number;
  /** Default `failure`. */
  notify?: Notify;
}

/** A schedule. Timestamps are ISO 8601 in UTC with milliseconds. */
export interface Schedule extends Required<NewSchedule> {
  id: number;
  /** Null while disabled. */
  next_run_at: string | null;
  /** The member whose permissions apply to the runs. */
  created_by: number;
  created_at: string;
  updated_at: string;
  /** Null unless the platform disabled it. */
  disabled_reason: DisabledReason | null;
  /** The room from which an AI employee created it or changed its action; each run has only the rights of everyone there. Null for others. */
  room_id: string | null;
  /** Number of failed runs in a row; at five the schedule is disabled. */
  failures: number;
  /** Status of the latest run that ended by itself; null if there is none. */
  last_status: RunStatus | null;
}

export interface ScheduleQuery {
  enabled?: boolean;
  action?: string;
  keyword?: string;
  limit: number;
  offset: number;
}

export interface SchedulePage {
  items: Schedule[];
  total: number;
}

/**
 * `missed`: nothing could run at that time, or those times. `skipped`: another run of the schedule was open.
 * `cancelled`: stopped by a person, or replaced by the next run.
 */
export type RunStatus = 'queued' | 'running' | 'success' | 'failed' | 'timeout' | 'cancelled' | 'skipped' | 'missed';

export type RunTrigger = 'schedule' | 'manual' | 'catch_up';

/** The outcome of a planned time, or of a range of them. Timestamps are ISO 8601 in UTC. */
export interface Run {
  id: number;
  schedule_id: number;
  status: RunStatus;
  trigger: RunTrigger;
  /** The planned time; for a `missed` run the first of its range, for a manual one the time of the request. */
  scheduled_for: string;
  /** The last planned time in the range of a `missed` run; otherwise null. */
  missed_until: string | null;
  /** Number of planned times of a `missed` run, counted up to 1,000; otherwise null. */
  missed_count: number | null;
  /** Start of the latest attempt; for a run that never started, the time of its record. */
  started_at: string;
  /** Null while open. */
  finished_at: string | null;
  /**
   * The output or the reason for the failure, at most 4,000 characters; may be empty. Only the creator sees the output
   * of a conversation.
   */
  result: string;
  error_code: string | null;
  /** From 1; 0 if it never started. */
  attempt: number;
  /** Duration of the latest attempt; null if none has ended. */
  duration_ms: number | null;
  /** Records that the run created. */
  session_id: string | null;
  task_id: string | null;
}

export interface RunQuery {
  status?: RunStatus;
  limit: number;
  offset: number;
}

export interface RunPage {
  items: Run[];
  total: number;
}

export interface StartedRun {
  run_id: number;
  status: 'queued';
}

export interface Preview {
  /** The next planned times (of a disabled schedule: as if it were enabled now), as instants and in local time. */
  times: { at: string; local: string }[];
  timezone: string;
}

export interface HttpRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  /**
   * A text or a JSON value. An object or an array, also one written as text, is sent as `application/json` unless a
   * header overrides it; so is a number or a boolean, but not if written as text.
   */
  body?: string | object | number | boolean;
  /** Response statuses that mean success. Default: 200 to 299. */
  expect?: number[];
}

export interface HttpAnswer {
  status: number;
  /** At most 4,000 characters of text. */
  body: string;
}

/** The parts of a run that are published in events. */
export interface RunReport {
  schedule_id: number;
  name: string;
  run_id: number;
  status: RunStatus;
  error_code: string | null;
  result: string;
  created_by: number;
}

/** The name or the params of a schedule mention people as `@username`. */
export interface ScheduleMentioned {
  schedule_id: number;
  name: string;
  /** In lower case, not resolved. */
  names: string[];
  /** The member who wrote it. */
  member_id: number;
}

export type SchedulesEvents = {
  'schedules.mentioned': ScheduleMentioned;
  /** A run has ended and the creator is to be notified. */
  'schedules.reported': RunReport;
  /** A schedule was disabled because five runs in a row failed. */
  'schedules.stopped': { schedule_id: number; name: string; created_by: number; reason: 'five_failures'; result: string };
};
