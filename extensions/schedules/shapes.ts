import { type Joi, label } from '../../kernel/contract/index.js';

/** PostgreSQL doesn't accept NUL. */
export const withoutNul = /^[^\0]*$/;
const statuses = ['queued', 'running', 'success', 'failed', 'timeout', 'cancelled', 'skipped', 'missed'];
const triggers = ['cron', 'interval', 'once'];

const time = (j: Joi) => j.string().isoDate();
export const id = (j: Joi) => j.number().integer().min(1).max(2_147_483_647);
export const count = (j: Joi) => j.number().integer().min(1).max(100).default(10);
export const runStatus = (j: Joi) => j.string().valid(...statuses);

export const trigger = (j: Joi, isNew: boolean) => ({
  trigger_type: needed(j.string().valid(...triggers), isNew),
  trigger_value: needed(j.string().trim().min(1).max(400).pattern(withoutNul, 'text'), isNew).description(
    'cron: five fields, `0 9 * * 1-5`; interval: minutes or hours, `15m`, `2h`; once: an ISO 8601 time; one without an offset is in `timezone`',
  ),
  timezone: usually(j.string().max(64), 'UTC', isNew).description(
    'A name of the time zone database, such as Europe/Berlin, for cron expressions and for times without an offset',
  ),
});

/** A schedule's settings; a change may omit any, and omitted ones stay unchanged. */
export const settings = (j: Joi, isNew: boolean) => ({
  name: needed(label(j, 200).min(1), isNew),
  ...trigger(j, isNew),
  action: needed(j.string().max(128), isNew).description('An operation that schedules may run, such as chat.send'),
  params: usually(j.object().unknown(), {}, isNew).description('Input of the operation, at most 64 KiB of JSON'),
  enabled: usually(j.boolean().description('Whether it runs at its planned times'), true, isNew),
  overlap_policy: usually(j.string().valid('skip', 'queue', 'replace'), 'skip', isNew).description(
    'What happens if it is due while one of its runs is open',
  ),
  catch_up: usually(j.string().valid('latest', 'none'), 'latest', isNew).description('What happens after a gap in which nothing could run'),
  timeout_s: usually(j.number().integer().min(1).max(86_400), 300, isNew),
  retries: usually(j.number().integer().min(0).max(10), 0, isNew).description('Number of retries after a failure'),
  retry_delay_s: usually(j.number().integer().min(1).max(3_600), 10, isNew).description(
    'Seconds before the first retry; doubled before each further one, up to an hour',
  ),
  notify: usually(j.string().valid('failure', 'always', 'never'), 'failure', isNew).description('The runs that the creator is notified of'),
});

export const schedule = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      name: j.string().required(),
      trigger_type: j
        .string()
        .valid(...triggers)
        .required(),
      trigger_value: j.string().required(),
      timezone: j.string().required(),
      action: j.string().required(),
      params: j.object().unknown().required(),
      enabled: j.boolean().required(),
      overlap_policy: j.string().valid('skip', 'queue', 'replace').required(),
      catch_up: j.string().valid('latest', 'none').required(),
      timeout_s: j.number().integer().required(),
      retries: j.number().integer().required(),
      retry_delay_s: j.number().integer().required(),
      notify: j.string().valid('failure', 'always', 'never').required(),
      next_run_at: time(j).allow(null).required(),
      created_by: id(j).required(),
      created_at: time(j).required(),
      updated_at: time(j).required(),
      disabled_reason: j.string().valid('done', 'five_failures', 'creator_gone', 'creator_inactive', 'room_gone').allow(null).required(),
      room_id: j
        .string()
        .guid()
        .allow(null)
        .required()
        .description('The room from which an AI employee created it or changed its action, and whose rights its runs have'),
      failures: j.number().integer().min(0).required(),
      last_status: runStatus(j).allow(null).required(),
    })
    .label('Schedule');

export const run = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      schedule_id: id(j).required(),
      status: runStatus(j).required(),
      trigger: j.string().valid('schedule', 'manual', 'catch_up').required(),
      scheduled_for: time(j).required(),
      missed_until: time(j).allow(null).required(),
      missed_count: j.number().integer().min(1).allow(null).required(),
      started_at: time(j).required(),
      finished_at: time(j).allow(null).required(),
      result: j.string().allow('').required(),
      error_code: j.string().allow(null).required(),
      attempt: j.number().integer().min(0).required(),
      duration_ms: j.number().integer().min(0).allow(null).required(),
      session_id: j.string().guid().allow(null).required(),
      task_id: j.string().guid().allow(null).required(),
    })
    .label('ScheduleRun');

export const preview = (j: Joi) =>
  j
    .object({
      times: j
        .array()
        .items(j.object({ at: time(j).required(), local: j.string().required() }))
        .required(),
      timezone: j.string().required(),
    })
    .label('SchedulePreview');

function needed<S extends { required(): S; optional(): S }>(schema: S, isNew: boolean): S {
  return isNew ? schema.required() : schema.optional();
}

function usually<S extends { default(value: unknown): S }>(schema: S, value: unknown, isNew: boolean): S {
  return isNew ? schema.default(value) : schema;
}
