import t from 'tap';
import { benchmarksOf } from './benchmarks.js';
import { bounds, judge } from './bounds.js';

const kept = (rows: readonly Record<string, unknown>[], benchmark: string) =>
  judge(rows, bounds[benchmark] ?? []).map(({ isKept }) => isKept);

t.test('a figure meets or misses its bound in each row', (t) => {
  t.same(kept([{ lost: 0, ms_p99: 99.9, kb_held_for_each_of_them: 60 }], 'streams'), [true, true, true]);
  t.same(kept([{ lost: 1, ms_p99: 100.1 }], 'streams'), [false, false, false]);
  t.same(kept([{ ratio: 1.2 }, { ratio: 1.31 }, { case: 'without one' }], 'sockets'), [false]);
  t.same(
    kept(
      [
        { path: '/healthz', ratio: 0.85 },
        { path: '/api/chat/sessions?limit=20', ratio: 0.85 },
      ],
      'requests',
    ),
    [true],
  );
  t.end();
});

t.test('missing figures and non-numbers miss their bounds', (t) => {
  t.same(kept([], 'logins'), [false]);
  t.same(kept([{ lost: Number.NaN, failed: 0, ms_p99: 3 }], 'sends'), [false, true, true]);
  t.end();
});

t.test('a verdict states what was expected and what was found', (t) => {
  t.same(judge([{ what: '--help', ratio: 2 }], [{ figure: 'ratio', where: { what: '--help' }, max: 1.8 }]), [
    { bound: 'ratio of --help at most 1.8', found: [2], isKept: false },
  ]);
  t.end();
});

t.test('each benchmark says what it measures, and each bound is of one of them', (t) => {
  const benchmarks = benchmarksOf({ full: true, plots: '' });
  for (const [name, { about, measure }] of Object.entries(benchmarks)) {
    t.match(about, /^[A-Z\d].*\.$/s, name);
    t.type(measure, 'function', name);
  }
  for (const name of Object.keys(bounds)) t.ok(name in benchmarks, name);
  t.end();
});
