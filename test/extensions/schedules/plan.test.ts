import t from 'tap';
import { planOf } from '../../../extensions/schedules/runs/plan.js';
import { triggerOf } from '../../../extensions/schedules/triggers/trigger.js';

const minute = 60_000;
const start = Date.parse('2026-11-20T12:00:00Z');
const every = (trigger_value: string) => triggerOf({ trigger_type: 'interval', trigger_value, timezone: 'UTC' }, start - 86_400_000);
const at = (minutes: number, seconds = 0) => start + minutes * minute + seconds * 1_000;

t.test('a time due just now runs and counts as not missed', async (t) => {
  t.same(planOf(every('1m'), { due: at(0), now: at(0, 1), catch_up: 'latest' }), {
    missed: undefined,
    run: { cause: 'schedule', scheduled_for: at(0) },
    next: at(1),
  });
});

t.test('five missed times form one range, and the latest is caught up on or not', async (t) => {
  const gap = { due: at(0), now: at(4, 40) };
  const missed = { first: at(0), last: at(4), count: 5 };
  const caught = { cause: 'catch_up', scheduled_for: at(4) };
  t.same(planOf(every('1m'), { ...gap, catch_up: 'latest' }), { missed, run: caught, next: at(5) });
  t.same(planOf(every('1m'), { ...gap, catch_up: 'none' }), { missed, run: undefined, next: at(5) });
});

t.test('a single missed time is reported', async (t) => {
  t.same(planOf(every('1h'), { due: at(0), now: at(0, 31), catch_up: 'none' }), {
    missed: { first: at(0), last: at(0), count: 1 },
    run: undefined,
    next: at(60),
  });
});

t.test('a recent latest time runs as planned, and only the earlier ones count as missed', async (t) => {
  t.same(planOf(every('1m'), { due: at(0), now: at(4, 20), catch_up: 'none' }), {
    missed: { first: at(0), last: at(3), count: 4 },
    run: { cause: 'schedule', scheduled_for: at(4) },
    next: at(5),
  });
});

t.test('a year of minutes is searched quickly and counted up to a limit', async (t) => {
  const now = at(0) + 366 * 86_400_000 + 45_000;
  const began = performance.now();
  const { missed, run, next } = planOf(every('1m'), { due: at(0), now, catch_up: 'latest' });
  t.same([missed, run?.scheduled_for, next], [{ first: at(0), last: now - 45_000, count: 1_000 }, now - 45_000, now + 15_000]);
  t.ok(performance.now() - began < 5_000);
});

t.test('a single time has no next', async (t) => {
  const once = triggerOf({ trigger_type: 'once', trigger_value: '2026-11-20T12:00:00Z', timezone: 'UTC' }, 0);
  t.same(planOf(once, { due: at(0), now: at(0, 3), catch_up: 'latest' }), {
    missed: undefined,
    run: { cause: 'schedule', scheduled_for: at(0) },
    next: undefined,
  });
});
