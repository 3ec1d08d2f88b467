import type { Joi, Operations } from '../../kernel/contract/index.js';
import type { SchedulesApi } from './contract.js';
import * as shape from './shapes.js';

const page = (j: Joi) => ({
  limit: j.number().integer().min(1).max(200).default(50),
  offset: j.number().integer().min(0).max(2_147_483_647).default(0),
});
const settingFailures = ['trigger_invalid', 'never_runs', 'action_not_found', 'fetch_bad_url', 'fetch_address_refused'] as const;

/** The operations of this extension. */
export const operations = {
  'schedules.list': {
    summary: 'Lists the schedules, oldest first.',
    method: 'GET',
    path: '/api/admin/schedules',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        enabled: j.boolean(),
        action: j.string().max(128).allow('').description('Only those with this operation'),
        keyword: j.string().max(200).allow('').pattern(shape.withoutNul, 'text').description('Part of the name; case is ignored'),
        ...page(j),
      }),
    answer: (j) => j.object({ items: j.array().items(shape.schedule(j)).required(), total: j.number().integer().min(0).required() }),
    tool: true,
  },
  'schedules.get': {
    summary: 'Returns a schedule.',
    method: 'GET',
    path: '/api/admin/schedules/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: shape.schedule,
    failures: ['schedule_not_found'],
    tool: true,
  },
  'schedules.create': {
    summary: "Creates a schedule: an operation that runs at planned times with its creator's permissions.",
    method: 'POST',
    path: '/api/admin/schedules',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object(shape.settings(j, true)),
    answer: shape.schedule,
    status: 201,
    failures: settingFailures,
    audited: true,
    idempotent: 'data',
    tool: true,
  },
  'schedules.update': {
    summary: 'Changes a schedule; omitted fields stay unchanged.',
    method: 'PUT',
    path: '/api/admin/schedules/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required(), ...shape.settings(j, false) }),
    answer: shape.schedule,
    failures: ['schedule_not_found', 'time_passed', 'params_unreadable', ...settingFailures],
    audited: true,
    tool: true,
  },
  'schedules.delete': {
    summary: 'Deletes a schedule with its history and stops its open runs.',
    method: 'DELETE',
    path: '/api/admin/schedules/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required() }),
    failures: ['schedule_not_found'],
    audited: true,
    tool: true,
  },
  'schedules.toggle': {
    summary: 'Disables an enabled schedule, or enables a disabled one.',
    method: 'POST',
    path: '/api/admin/schedules/{id}/toggle',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: shape.schedule,
    failures: ['schedule_not_found', 'time_passed', 'never_runs', 'action_not_found', 'trigger_invalid'],
    audited: true,
    tool: true,
  },
  'schedules.run': {
    summary: 'Runs a schedule once immediately, even if it is disabled. Its planned times stay unchanged.',
    method: 'POST',
    path: '/api/admin/schedules/{id}/run',
    who: 'admin',
    audience: 'admin',
    costly: true,
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: (j) => j.object({ run_id: shape.id(j).required(), status: j.string().valid('queued').required() }),
    status: 202,
    failures: ['schedule_not_found'],
    audited: true,
    idempotent: 'data',
    tool: true,
  },
  'schedules.history': {
    summary: 'Lists the runs of a schedule, latest first, including skipped and missed ones; kept for 30 days.',
    method: 'GET',
    path: '/api/admin/schedules/{id}/history',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required(), status: shape.runStatus(j), ...page(j) }),
    answer: (j) => j.object({ items: j.array().items(shape.run(j)).required(), total: j.number().integer().min(0).required() }),
    failures: ['schedule_not_found'],
    tool: true,
  },
  'schedules.run_record': {
    summary: 'Returns a run of a schedule.',
    method: 'GET',
    path: '/api/admin/schedules/{id}/history/{run_id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required(), run_id: shape.id(j).required() }),
    answer: shape.run,
    failures: ['schedule_not_found', 'run_not_found'],
  },
  'schedules.cancel': {
    summary: 'Stops an open run.',
    method: 'POST',
    path: '/api/admin/schedules/{id}/history/{run_id}/cancel',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required(), run_id: shape.id(j).required() }),
    answer: shape.run,
    failures: ['schedule_not_found', 'run_not_found', 'run_finished'],
    audited: true,
  },
  'schedules.preview': {
    summary: 'Returns the next planned times of a schedule, as if it were enabled.',
    method: 'GET',
    path: '/api/admin/schedules/{id}/preview',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required(), count: shape.count(j) }),
    answer: shape.preview,
    failures: ['schedule_not_found', 'trigger_invalid', 'never_runs'],
  },
  'schedules.preview_new': {
    summary: 'Returns the planned times of a schedule without creating it.',
    method: 'POST',
    path: '/api/admin/schedules/preview',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ ...shape.trigger(j, true), count: shape.count(j) }),
    answer: shape.preview,
    failures: ['trigger_invalid', 'never_runs'],
  },
  'http.request': {
    summary: 'Sends an HTTP request and returns the response; fails if the status is unexpected.',
    method: 'POST',
    path: '/api/admin/schedules/actions/http-request',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        url: j
          .string()
          .uri({ scheme: ['http', 'https'] })
          .max(2_000)
          .required()
          .description('Private addresses are rejected unless the configuration allows them (fetch_allow)'),
        method: j.string().uppercase().valid('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE').default('GET'),
        headers: j.object().pattern(j.string(), j.string().max(4_000).allow('')).max(50),
        body: j
          .alternatives(j.string().max(500_000).allow(''), j.object().unknown(), j.array(), j.number(), j.boolean())
          .description('Text, or a JSON value; objects and arrays go as application/json unless a header says otherwise'),
        expect: j
          .array()
          .items(j.number().integer().min(100).max(599))
          .min(1)
          .max(50)
          .description('Statuses that mean success. Default: 200 to 299'),
      }),
    answer: (j) =>
      j.object({
        status: j.number().integer().required(),
        body: j.string().allow('').required(),
      }),
    failures: ['http_status', 'fetch_bad_url', 'fetch_address_refused', 'fetch_failed', 'fetch_timeout', 'fetch_too_large'],
    timeout_ms: 120_000,
    dangerous: true,
    audited: true,
    schedulable: true,
  },
} satisfies Operations<SchedulesApi>;
