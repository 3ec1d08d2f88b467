import t from 'tap';
import type { FiguresAtRest } from './server.js';
import { type Found, judge } from './verdict.js';

const calm: FiguresAtRest = {
  memory_mb: 200,
  young_mb: 20,
  spare_mb: 10,
  heap_mb: 60,
  handles: 30,
  handle_kinds: {},
  listeners: 5,
  emitters: 400,
  signals: 90,
  functions: 100_000,
  loop_delay_ms_p99: 12,
  warnings: 0,
};

/** A load that changed nothing, but for what is given. */
function found(change: Partial<Found> = {}): Found {
  const p99 = { reads: [20, 30, 25, 20], writes: [90, 95, 80, 100] };
  return { samples: new Array(20).fill(calm), before: calm, after: calm, p99, share: 1, requests: 1_000, failed: 0, ...change };
}

const missed = (change: Partial<Found>) => judge(found(change)).flatMap(({ what, isKept }) => (isKept ? [] : [what]));
const growing = (figure: 'heap_mb' | 'memory_mb' | 'young_mb' | 'spare_mb', part: number) =>
  Array.from({ length: 20 }, (_, at) => ({ ...calm, [figure]: calm[figure] * (1 + (part * at) / 20) }));

t.test('stable figures pass, with a line for each', async (t) => {
  t.same(missed({}), []);
  t.match(judge(found()), [{ found: '100 % of it done, 1000 requests, 0 failed' }, { found: '60.0 MB, then 60.0 MB (+0.0 %)' }]);
});

t.test('growing memory fails, fluctuating memory passes', async (t) => {
  t.same(missed({ samples: growing('heap_mb', 0.4) }), ['heap flat']);
  t.same(missed({ samples: growing('memory_mb', 0.4) }), ['memory flat']);
  t.same(missed({ samples: Array.from({ length: 20 }, (_, at) => ({ ...calm, heap_mb: 60 + (at % 3) * 10 })) }), []);
  t.same(missed({ samples: growing('young_mb', 4) }), [], 'the young generation is sized by V8');
  t.same(missed({ samples: growing('spare_mb', 10) }), [], 'V8 fills gaps again');
  t.same(missed({ samples: [...growing('spare_mb', 0), { ...calm, spare_mb: 121 }] }), ['gaps in the heap bounded']);
});

t.test('leaks of each kind are reported', async (t) => {
  t.same(missed({ after: { ...calm, handles: 36 } }), ['no handles leaked']);
  t.same(missed({ after: { ...calm, emitters: 451 } }), ['no emitters leaked']);
  t.same(missed({ after: { ...calm, signals: 141 } }), ['no abort signals leaked']);
  t.same(missed({ after: { ...calm, functions: 125_001 } }), ['no functions leaked']);
  t.same(missed({ after: { ...calm, listeners: 6 } }), ['no listeners leaked']);
  t.same(missed({ after: { ...calm, warnings: 1 } }), ['no listeners leaked']);
});

t.test('a load that failed, did not run, or slowed down fails', async (t) => {
  t.same(missed({ failed: 1 }), ['the load']);
  t.same(missed({ share: 0.97 }), ['the load']);
  t.same(missed({ p99: { reads: [20, 30, 25, 51], writes: [90, 95, 80, 181] } }), ['p99 of reads stable', 'p99 of writes stable']);
});
