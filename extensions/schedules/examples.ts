import type { Examples } from '../../kernel/contract/index.js';
import type { SchedulesApi } from './contract.js';

const schedule = (): SchedulesApi['schedules.get']['answer'] => ({
  id: 1,
  name: 'Greeting',
  trigger_type: 'cron',
  trigger_value: '0 9 * * 1-5',
  timezone: 'Europe/Berlin',
  action: 'chat.send',
  overlap_policy: 'skip',
  catch_up: 'latest',
  timeout_s: 300,
  retries: 0,
  retry_delay_s: 10,
  notify: 'failure',
  created_by: 1,
  created_at: '2026-11-26T09:00:00.000Z',
  updated_at: '2026-11-26T09:05:00.000Z',
  disabled_reason: null,
  room_id: null,
  failures: 0,
  last_status: 'success',
  enabled: true,
  params: { content: 'Good morning', target_type: '' },
  next_run_at: '2026-11-27T08:00:00.000Z',
});

const run = (): SchedulesApi['schedules.run_record']['answer'] => ({
  id: 1,
  schedule_id: 1,
  status: 'success',
  trigger: 'manual',
  scheduled_for: '2026-11-26T09:00:00.000Z',
  missed_until: null,
  missed_count: null,
  started_at: '2026-11-26T09:00:01.000Z',
  finished_at: '2026-11-26T09:00:05.000Z',
  result: '{"message_id":"019a0b5e-7c10-7000-8000-00000000010a","session_id":"019a0b5e-7c10-7000-8000-00000000010b","task_id":null}',
  error_code: null,
  attempt: 1,
  duration_ms: 44,
  session_id: '019a0b5e-7c10-7000-8000-00000000010b',
  task_id: null,
});

/** Worked examples of the operations. A test runs them. */
export const examples: Examples<SchedulesApi> = {
  'schedules.list': () => ({ input: { enabled: true }, answer: { items: [schedule()], total: 3 } }),
  'schedules.get': () => ({ input: { id: 1 }, answer: schedule() }),
  'schedules.create': () => ({
    input: {
      name: 'Weekly report',
      trigger_type: 'cron',
      trigger_value: '0 9 * * 1',
      timezone: 'Europe/Berlin',
      action: 'chat.send',
      params: { content: 'Summarise last week.', target_id: 5 },
    },
    answer: {
      ...schedule(),
      name: 'Weekly report',
      trigger_value: '0 9 * * 1',
      last_status: null,
      id: 4,
      params: { content: 'Summarise last week.', target_id: 5 },
      next_run_at: '2026-11-30T08:00:00.000Z',
    },
  }),
  'schedules.update': () => ({
    input: { id: 1, trigger_value: '30 8 * * 1-5' },
    answer: { ...schedule(), trigger_value: '30 8 * * 1-5', next_run_at: '2026-11-27T07:30:00.000Z' },
  }),
  'schedules.delete': () => ({ input: { id: 3 } }),
  'schedules.toggle': () => ({
    input: { id: 2 },
    answer: {
      ...schedule(),
      id: 2,
      name: 'Report',
      action: 'http.request',
      retries: 1,
      retry_delay_s: 3600,
      last_status: null,
      enabled: false,
      params: { url: 'http://nowhere..example/' },
      next_run_at: null,
    },
  }),
  'schedules.run': () => ({ input: { id: 1 }, answer: { run_id: 3, status: 'queued' } }),
  'schedules.history': () => ({ input: { id: 1, limit: 20 }, answer: { items: [run()], total: 1 } }),
  'schedules.run_record': () => ({ input: { id: 1, run_id: 1 }, answer: run() }),
  'schedules.cancel': () => ({
    input: { id: 2, run_id: 2 },
    answer: {
      ...run(),
      id: 2,
      schedule_id: 2,
      status: 'cancelled',
      result: 'Stopped by an administrator',
      error_code: 'cancelled',
      duration_ms: 158,
      session_id: null,
    },
  }),
  'schedules.preview': () => ({
    input: { id: 1, count: 2 },
    answer: { times: [{ at: '2026-11-27T07:30:00.000Z', local: 'Friday, 27 November 2026 at 08:30:00 CET' }], timezone: 'Europe/Berlin' },
  }),
  'schedules.preview_new': () => ({
    input: { trigger_type: 'cron', trigger_value: '0 9 * * 1-5', timezone: 'Europe/Berlin', count: 2 },
    answer: { times: [{ at: '2026-11-27T08:00:00.000Z', local: 'Friday, 27 November 2026 at 09:00:00 CET' }], timezone: 'Europe/Berlin' },
  }),
  'http.request': () => ({
    input: { url: 'https://example.com/', method: 'GET', expect: [200] },
    answer: { status: 200, body: '<!doctype html>…' },
  }),
};
