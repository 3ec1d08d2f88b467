import t from 'tap';
import type { Run, Schedule } from '../../../extensions/schedules/contract.js';
import panel from '../../../extensions/schedules/panel.js';
import { fail } from '../../../kernel/contract/failure.js';
import { admin, drawPanel, FakeLive, now } from '../drawn.js';

const at = (ms: number) => new Date(now + ms).toISOString();

const schedule = (id: number, name: string, more: Partial<Schedule> = {}) =>
  ({
    id,
    name,
    trigger_type: 'cron',
    trigger_value: '0 9 * * 1-5',
    timezone: 'Europe/Berlin',
    action: 'tasks.run',
    params: { prompt: 'Look around' },
    enabled: true,
    next_run_at: at(3 * 3_600_000 + 1),
    disabled_reason: null,
    last_status: 'success',
    ...more,
  }) as Schedule;

const run = (id: number, more: Partial<Run> = {}) =>
  ({
    id,
    schedule_id: 1,
    status: 'failed',
    trigger: 'schedule',
    scheduled_for: at(-60_000),
    started_at: at(-60_000),
    finished_at: at(-58_000),
    missed_until: null,
    result: 'first line\nsecond line',
    error_code: 'timeout',
    attempt: 1,
    duration_ms: 2_000,
    ...more,
  }) as Run;

function schedulesOf(items: Schedule[], runs: Run[] = []) {
  const calls: unknown[] = [];
  const note = (name: string) => async (input: object) => void calls.push({ [name]: input });
  const schedules = {
    list: async () => ({ items, total: items.length }),
    history: async () => ({ items: runs, total: runs.length }),
    preview: async () => ({ times: [{ at: at(0), local: '2026-01-05 09:00' }], timezone: 'Europe/Berlin' }),
    run: note('run'),
    toggle: note('toggle'),
    delete: note('delete'),
    cancel: note('cancel'),
  };
  return { calls, client: { schedules } };
}

t.test('the panel shows schedules with their next run and last result', async (t) => {
  const items = [
    schedule(1, 'Morning'),
    schedule(2, 'Once', { enabled: false, next_run_at: null, disabled_reason: 'five_failures', last_status: 'failed' }),
  ];
  const drawn = drawPanel(t, panel, schedulesOf(items));
  await drawn.shows('2 schedules');
  t.match(drawn.frame, /> +1 +Morning +0 9 \* \* 1-5 +tasks\.run +in 3 h +success/);
  t.match(drawn.frame, /2 +Once +0 9 \* \* 1-5 +tasks\.run +five failures +failed/);
});

t.test('schedules can be run, switched and deleted', async (t) => {
  const { calls, client } = schedulesOf([schedule(1, 'Morning')]);
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('Morning');
  drawn.press('r');
  await drawn.shows('Run Morning now?');
  t.same(calls, [], 'nothing is deleted before the answer');
  drawn.press('y');
  await drawn.becomes(() => calls.length === 1, 'run');
  await drawn.becomes(() => drawn.notices.length === 1, 'told');
  drawn.press('t');
  await drawn.becomes(() => drawn.notices.length === 2, 'told');
  drawn.press('ctrl-d', 'y');
  await drawn.becomes(() => drawn.notices.length === 3, 'told');
  t.same(calls, [{ run: { id: 1 } }, { toggle: { id: 1 } }, { delete: { id: 1 } }]);
});

t.test('a schedule is created by a form, with faults beside their fields until fixed', async (t) => {
  const { client } = schedulesOf([schedule(1, 'Morning')]);
  const sent: object[] = [];
  const message = 'The hour 25 is none';
  const create = async (input: object) => {
    sent.push(input);
    if (sent.length === 1) throw fail('invalid_input', message, { details: [{ path: 'trigger_value', message }] });
    if (sent.length === 2) throw fail('forbidden', 'That is not for you');
  };
  const drawn = drawPanel(t, panel, { client: { schedules: { ...client.schedules, create } } });
  await drawn.shows('Morning');
  drawn.press('n');
  await drawn.shows('A new schedule');
  drawn.type('Dusk');
  drawn.press('tab', 'tab');
  drawn.type('0 25 * * *');
  drawn.press('tab', 'tab');
  drawn.type('http.request');
  drawn.press('enter', 'backspace');
  drawn.press('enter');
  await drawn.shows(/> Input \(JSON\) +\{_\n +Invalid JSON: /);
  t.same(sent, []);
  drawn.type('"url":"http://x"}');
  drawn.press('enter');
  await drawn.shows(/> When +0 25 \* \* \*_\n +The hour 25 is none/);
  t.notMatch(drawn.frame, 'Invalid JSON');
  t.ok(drawn.lines.length <= drawn.size.rows);
  for (const _ of '25 * * *') drawn.press('backspace');
  drawn.type('18 * * *');
  drawn.press('enter', 'enter', 'enter', 'enter');
  await drawn.becomes(() => drawn.notices.length === 1, 'what belongs to no field is told');
  await drawn.loses('The hour 25');
  drawn.press('enter', 'enter', 'enter', 'enter');
  await drawn.shows('1 schedule');
  const made = { name: 'Dusk', trigger_type: 'cron', timezone: 'UTC', action: 'http.request', params: { url: 'http://x' } };
  t.same(sent.at(-1), { ...made, trigger_value: '0 18 * * *' });
  t.same(drawn.notices, ['! That is not for you', 'Schedule created']);

  const readonly = drawPanel(t, panel, { client, readonly: true });
  await readonly.shows('Morning');
  t.notOk(readonly.offered.includes('n new'));
});

t.test('the details show coming times and history, whose runs can be opened and stopped', async (t) => {
  const { calls, client } = schedulesOf(
    [schedule(1, 'Morning')],
    [run(8), run(9, { status: 'running', error_code: null, duration_ms: null })],
  );
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('Morning');
  drawn.press('enter');
  await drawn.shows('2026-01-05 09:00');
  await drawn.shows(/> +8 +failed +1 min ago +2 s +timeout: first line/);
  t.ok(drawn.lines.length <= drawn.size.rows);
  t.notOk(drawn.offered.includes('s stop'), 'a finished run cannot be stopped');
  drawn.press('enter');
  await drawn.shows('second line');
  drawn.press('esc', 'j');
  await drawn.becomes(() => drawn.offered.includes('s stop'), 'stop');
  drawn.press('s', 'y');
  await drawn.becomes(() => calls.length > 0, 'stopped');
  t.same(calls, [{ cancel: { id: 1, run_id: 9 } }]);
});

t.test('a started run is shown at once, and members see that schedules are for administrators', async (t) => {
  const items = [schedule(1, 'Morning')];
  const live = new FakeLive();
  const drawn = drawPanel(t, panel, { ...schedulesOf(items), live });
  await drawn.shows('success');
  items[0] = schedule(1, 'Morning', { last_status: 'timeout' });
  live.tell('schedule.run', {});
  await drawn.shows('timeout');
  const member = drawPanel(t, panel, { client: {}, me: { ...admin, role: 'member' } });
  await member.shows('Schedules are for administrators');
});
