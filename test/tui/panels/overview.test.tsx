import t from 'tap';
import { fail } from '../../../kernel/contract/failure.js';
import type { CheckRecord, StatusRecord } from '../../../kernel/contract/system.js';
import panel from '../../../tui/overview/panel.js';
import { drawPanel } from '../drawn.js';

const status: StatusRecord = {
  version: '0.1.0',
  instance_name: 'one',
  instance: 'a',
  pid: 42,
  node_version: '20.1.0',
  database: 'sqlite',
  started_at: '2026-01-02T03:00:05.000Z',
  uptime_s: 240,
  http: null,
  event_loop_delay_ms: null,
  cpu_percent: null,
  memory_mb: { rss: 90, heap_used: 30, heap_total: 40 },
  extensions: { active: 7, disabled: 1, failed: [{ name: 'acme.ill', error: 'It threw' }] },
  seats: { used: 3, limit: 5 },
  figures: [{ extension: 'chat', name: 'chat_streams', help: 'Open streams', value: 4 }],
};
const check = (code: string, ok: boolean): CheckRecord => ({
  extension: 'kernel',
  code,
  ok,
  message: 'The disk is nearly full',
  since: null,
  fix: null,
});

const overview = (t: Parameters<typeof drawPanel>[0], get: () => Promise<StatusRecord>, checks: CheckRecord[] = []) =>
  drawPanel(t, panel, { client: { status: { get }, checks: { list: async () => checks } } });

t.test('without a server the overview hides traffic and shows failed and red parts', async (t) => {
  const drawn = overview(t, async () => status, [check('disk_nearly_full', false), check('database_locked', true)]);
  await drawn.shows('disk_nearly_full');
  t.match(drawn.frame, /Up +4 min, since 2026-01-02T03:00:05\.000Z/);
  t.match(drawn.frame, /Event loop +-/);
  t.match(drawn.frame, /Seats +3 of 5/);
  t.match(drawn.frame, /Extensions +7 active, 1 disabled, 1 failed: acme\.ill: It threw/);
  t.match(drawn.frame, /chat +4 +Open streams/);
  t.notMatch(drawn.frame, /Requests|database_locked/);
});

t.test('the overview says so if all is green, and plots its readings', async (t) => {
  const http = { url: 'http://127.0.0.1:1', requests: 9, requests_per_second: 2, errors: 0, errors_per_minute: 0, streams: 1, sockets: 2 };
  const drawn = overview(t, async () => ({ ...status, http, cpu_percent: 50 }), [check('disk', true)]);
  await drawn.shows('all 1 are green');
  await drawn.shows(/Requests +2 a second, 9 in all +█/);
  t.match(drawn.frame, /Open +streams: 1, sockets: 2/);
});

t.test('data that cannot be read is reported in its place', async (t) => {
  const drawn = overview(t, async () => {
    throw fail('forbidden', 'That is not for you');
  });
  await drawn.shows('That is not for you (forbidden)');
  t.notMatch(drawn.frame, 'Reading');
});

t.test('hidden parts can be scrolled to, and are announced', async (t) => {
  const figures = Array.from({ length: 12 }, (_, n) => ({ extension: 'chat', name: 'same', help: 'The same', value: n === 11 ? 77 : 4 }));
  const size = { columns: 80, rows: 10 };
  const client = { status: { get: async () => ({ ...status, figures }) }, checks: { list: async () => [check('disk', true)] } };
  const drawn = drawPanel(t, panel, { client, size });
  await drawn.shows(/… 0 above, 11 below/);
  t.equal(drawn.lines.length, size.rows);
  t.match(drawn.frame, /Server/);
  drawn.press('down');
  await drawn.shows('… 1 above, 10 below');
  t.notMatch(drawn.frame, /Server/);
  drawn.press('pgdn', 'pgdn');
  await drawn.shows('77');
  t.match(drawn.lines.at(-1), '… 11 above, 0 below');
  drawn.press('pgup', 'pgup');
  await drawn.shows('Server');
});
