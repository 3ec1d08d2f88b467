import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../helpers/eventually.js';
import { receiver_host, type Side } from '../side.js';
import type { Row, Uses } from '../table.js';

const usual = { name: 'Greeting', trigger_type: 'cron', trigger_value: '0 9 * * 1-5', timezone: 'Europe/Berlin', action: 'chat.send' };
const params = { content: 'Good morning', target_type: '' };

let address: Promise<string> | undefined;

/** A server that takes whatever it gets; it ends with the process. */
function receiver(): Promise<string> {
  address ??= new Promise((resolve) => {
    const server = createServer((_request, response) => response.end('received'));
    server.listen(0, receiver_host, () => resolve(`http://${receiver_host}:${(server.address() as AddressInfo).port}/`));
    server.unref();
  });
  return address;
}

/** A schedule of its own for a row that needs one. */
const made =
  (rest: object = {}, change: object = {}) =>
  async (side: Side) => ({ id: (await side.give<{ id: number }>('schedules.create', { ...usual, params, ...change })).id, ...rest });

/** One that has run. */
const ran =
  (change: object = {}) =>
  async (side: Side) => {
    const { id } = await made({}, change)(side);
    const { run_id } = await side.give<{ run_id: number }>('schedules.run', { id });
    await until(
      () => side.give<{ finished_at: string | null }>('schedules.run_record', { id, run_id }),
      ({ finished_at }) => finished_at !== null,
    );
    return { id, run_id };
  };

const unknown: Row = { name: 'an unknown id', input: { id: 999_999 }, code: 'schedule_not_found' };
const badId: Row = { name: 'an invalid id', input: { id: 'first' }, code: 'invalid_input' };
const refused = (name: string, change: object, code = 'invalid_input'): Row => ({ name, input: { ...usual, params, ...change }, code });

export const schedulesRows: Record<string, Uses> = {
  'schedules.list': {
    success: [
      {
        name: 'lists all of them',
        input: async (side) => ({ ...((await made()(side)) && {}), limit: 1 }),
        body: { items: [{ name: 'Greeting' }] },
      },
      { name: 'returns an empty list', input: { keyword: 'nothing is called so' }, body: { items: [], total: 0 } },
    ],
    failures: [{ name: 'an invalid page', input: { limit: 0 }, code: 'invalid_input' }],
  },
  'schedules.get': {
    success: [{ name: 'returns one', input: made(), body: { name: 'Greeting', enabled: true, timezone: 'Europe/Berlin' } }],
    failures: [unknown, badId],
  },
  'schedules.create': {
    success: [
      { name: 'creates one', input: { ...usual, params }, body: { name: 'Greeting', overlap_policy: 'skip', catch_up: 'latest' } },
      { name: 'creates a disabled schedule', input: { ...usual, params, enabled: false }, body: { enabled: false, next_run_at: null } },
      {
        name: 'creates a schedule with an interval',
        input: { ...usual, params, trigger_type: 'interval', trigger_value: '2h' },
        body: { trigger_type: 'interval' },
      },
    ],
    failures: [
      refused('an expression that is none', { trigger_value: '61 * * * *' }, 'trigger_invalid'),
      refused('a zone that is none', { timezone: 'Mars/Olympus' }, 'trigger_invalid'),
      refused('a time that never comes', { trigger_value: '0 0 30 2 *' }, 'never_runs'),
      refused('a time that is past', { trigger_type: 'once', trigger_value: '2020-01-01T00:00:00Z' }, 'trigger_invalid'),
      refused('an action that is none', { action: 'members.delete' }, 'action_not_found'),
      refused('params that the action refuses', { params: { content: 5 } }),
      refused(
        'an address that may not be reached',
        { action: 'http.request', params: { url: 'http://169.254.169.254/' } },
        'fetch_address_refused',
      ),
      refused('an address with a password', { action: 'http.request', params: { url: 'https://a:b@example.com/' } }, 'fetch_bad_url'),
      refused('no name', { name: ' ' }),
    ],
  },
  'schedules.update': {
    success: [
      { name: 'renames one', input: made({ name: 'Renamed' }), body: { name: 'Renamed', trigger_value: '0 9 * * 1-5' } },
      { name: 'disables one', input: made({ enabled: false }), body: { enabled: false, next_run_at: null } },
    ],
    failures: [
      { ...unknown, input: { id: 999_999, name: 'x' } },
      badId,
      { name: 'an invalid expression', input: made({ trigger_value: '@daily' }), code: 'trigger_invalid' },
      { name: 'params that the action rejects', input: made({ params: { content: 5 } }), code: 'invalid_input' },
    ],
  },
  'schedules.delete': { success: [{ name: 'removes one', input: made() }], failures: [unknown, badId] },
  'schedules.toggle': {
    success: [
      { name: 'disables one', input: made(), body: { enabled: false } },
      { name: 'enables one', input: made({}, { enabled: false }), body: { enabled: true } },
    ],
    failures: [unknown, badId],
  },
  'schedules.run': { success: [{ name: 'runs one', input: made(), body: { status: 'queued' } }], failures: [unknown, badId] },
  'schedules.history': {
    success: [
      { name: 'is empty at first', input: made(), body: { items: [], total: 0 } },
      {
        name: 'returns a run',
        input: async (side) => ({ id: (await ran()(side)).id }),
        body: { items: [{ status: 'success', trigger: 'manual', attempt: 1 }], total: 1 },
      },
    ],
    failures: [unknown, badId, { name: 'an invalid status', input: { id: 1, status: 'odd' }, code: 'invalid_input' }],
  },
  'schedules.run_record': {
    success: [{ name: 'returns a run', input: ran(), body: { status: 'success', error_code: null } }],
    failures: [
      { ...unknown, input: { id: 999_999, run_id: 1 } },
      { name: 'an unknown run', input: made({ run_id: 999_999 }), code: 'run_not_found' },
      { name: 'an invalid id', input: { id: 1, run_id: 'x' }, code: 'invalid_input' },
    ],
  },
  'schedules.cancel': {
    success: [
      {
        name: 'stops one that waits for a retry',
        input: async (side) => {
          const again = { action: 'http.request', params: { url: 'http://nowhere..example/' }, retries: 1, retry_delay_s: 3_600 };
          const { id } = await made({}, again)(side);
          const { run_id } = await side.give<{ run_id: number }>('schedules.run', { id });
          await until(
            () => side.give<{ status: string; attempt: number }>('schedules.run_record', { id, run_id }),
            ({ status, attempt }) => status === 'queued' && attempt === 1,
          );
          return { id, run_id };
        },
        body: { status: 'cancelled', error_code: 'cancelled' },
      },
    ],
    failures: [
      { ...unknown, input: { id: 999_999, run_id: 1 } },
      { name: 'an unknown run', input: made({ run_id: 999_999 }), code: 'run_not_found' },
      { name: 'a finished run', input: ran(), code: 'run_finished' },
    ],
  },
  'schedules.preview': {
    success: [{ name: 'returns the next times', input: made({ count: 2 }), body: { timezone: 'Europe/Berlin' } }],
    failures: [unknown, badId, { name: 'too many', input: { id: 1, count: 101 }, code: 'invalid_input' }],
  },
  'schedules.preview_new': {
    success: [
      { name: 'returns the times', input: { trigger_type: 'cron', trigger_value: '0 0 29 2 *', count: 2 }, body: { timezone: 'UTC' } },
      {
        name: 'returns no times of the past',
        input: { trigger_type: 'once', trigger_value: '2020-01-01T00:00:00Z' },
        body: { times: [], timezone: 'UTC' },
      },
    ],
    failures: [
      { name: 'an invalid expression', input: { trigger_type: 'cron', trigger_value: '* * *' }, code: 'trigger_invalid' },
      { name: 'a time that never occurs', input: { trigger_type: 'cron', trigger_value: '0 0 31 4 *' }, code: 'never_runs' },
      { name: 'no trigger', input: {}, code: 'invalid_input' },
    ],
  },
  'http.request': {
    success: [
      {
        name: 'calls an address',
        input: async () => ({ url: await receiver() }),
        body: { status: 200, body: 'received' },
      },
    ],
    failures: [
      { name: 'a refused address', input: { url: 'http://169.254.169.254/' }, code: 'fetch_address_refused' },
      { name: 'an invalid address', input: { url: 'ftp://example.com/' }, code: 'invalid_input' },
      {
        name: 'an unexpected status',
        input: async () => ({ url: await receiver(), expect: [404] }),
        code: 'http_status',
      },
    ],
  },
};
