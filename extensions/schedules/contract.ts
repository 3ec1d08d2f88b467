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

/** What happens where a schedule is due while a run of it is open: it is left out, waits its turn, or takes its place. */
export type OverlapPolicy = 'skip' | 'queue' | 'replace';

/** What happens after a gap in which nothing could run: one run for the latest planned time, or none. */
export type CatchUp = 'latest' | 'none';

/** Of which runs the creator is notified. */
export type Notify = 'failure' | 'always' | 'never';

/** Why the platform has disabled a schedule: its one time has come, five runs in a row have failed, or its creator is gone. */
export type DisabledReason = 'done' | 'five_failures' | 'creator_gone' | 'creator_inactive';

/** When a schedule is due. */
export interface NewTrigger {
  trigger_type: TriggerType;
  /** `0 9 * * 1-5`; `15m`, `2h`; `2027-01-31T09:00:00Z`, or without an offset as the clock of `timezone` shows it. */
  trigger_value: string;
  /** A name of the time zone database, for a cron expression and for a time without an offset. Default `UTC`. */
  timezone?: string;
}

export interface NewSchedule extends NewTrigger {
  /** 1 to 200 characters. */
  name: string;
  /**
   * The id of an operation that schedules may run. Of one that streams, the end of the text is the result; a run
   * whose command exits with another code than 0 fails with `command_failed`.
   */
  action: string;
  /** The operation's input; at most 64 KiB of JSON. */
  params?: object;
  /** Default true. */
  enabled?: boolean;
  /** Default `skip`. */
  overlap_policy?: OverlapPolicy;
  /** Default `latest`. */
  catch_up?: CatchUp;
  /** Of one attempt. 1 to 86,400; default 300. */
  timeout_s?: number;
  /** Further attempts after one that failed, 0 to 10. Default 0. */
  retries?: number;
  /** Before the first of them, in seconds, 1 to 3,600; twice as long before each that follows, up to an hour. Default 10. */
  retry_delay_s?: number;
  /** Default `failure`. */
  notify?: Notify;
}

/** A schedule. Timestamps are ISO 8601, UTC, milliseconds. */
export interface Schedule extends Required<NewSchedule> {
  id: number;
  /** Null while it is disabled. */
  next_run_at: string | null;
  /** The member as whom it runs. */
  created_by: number;
  created_at: string;
  updated_at: string;
  /** Null: nobody but a person has disabled it. */
  disabled_reason: DisabledReason | null;
  /** Failed runs in a row; at five it is disabled. */
  failures: number;
  /** Of its latest run that has ended by itself; null where there was none. */
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
 * `missed`: nothing could run at that time, or those times. `skipped`: another run of it was open.
 * `cancelled`: stopped by a person, or replaced by the next.
 */
export type RunStatus = 'queued' | 'running' | 'success' | 'failed' | 'timeout' | 'cancelled' | 'skipped' | 'missed';

export type RunTrigger = 'schedule' | 'manual' | 'catch_up';

/** What became of one planned time, or of a range of them. Timestamps are ISO 8601, UTC. */
export interface Run {
  id: number;
  schedule_id: number;
  status: RunStatus;
  trigger: RunTrigger;
  /** The planned time; of a `missed` one the first of its range; of a manual one the moment it was asked for. */
  scheduled_for: string;
  /** The last planned time of a `missed` one's range; else null. */
  missed_until: string | null;
  /** How many planned times a `missed` one stands for, counted up to 1,000; else null. */
  missed_count: number | null;
  /** The latest attempt's; of what never started the moment of its record. */
  started_at: string;
  /** Null while it is open. */
  finished_at: string | null;
  /** What it gave, or why it failed, at most 4,000 characters; may be empty. What a conversation said only its creator sees. */
  result: string;
  error_code: string | null;
  /** From 1; 0 where it never started. */
  attempt: number;
  /** Of the latest attempt; null where none has ended. */
  duration_ms: number | null;
  /** What it made, where it did. */
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
  /** The next planned times (if disabled: those it would have if it were enabled now), as instants and as a clock there shows them. */
  times: { at: string; local: string }[];
  timezone: string;
}

export interface HttpRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  /**
   * Text, or a JSON value. An object or an array, also one written as text, goes as `application/json` unless a header says
   * otherwise; a number or a boolean too, but not if it is written as text.
   */
  body?: string | object | number | boolean;
  /** Which statuses of the answer are a success. Default: 200 to 299. */
  expect?: number[];
}

export interface HttpAnswer {
  status: number;
  /** At most 4,000 characters of text. */
  body: string;
}

/** What of a run is told. */
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
  /** In lower case, not looked up. */
  names: string[];
  /** The member who has written it. */
  member_id: number;
}

export type SchedulesEvents = {
  'schedules.mentioned': ScheduleMentioned;
  /** A run has ended of which the creator is to be notified. */
  'schedules.reported': RunReport;
  /** A schedule was disabled because five runs in a row have failed. */
  'schedules.stopped': { schedule_id: number; name: string; created_by: number; reason: 'five_failures'; result: string };
};
