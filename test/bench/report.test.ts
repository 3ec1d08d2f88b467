import t from 'tap';
import { reportOf, withMeasuredAgain } from './report.js';

const run = {
  started_at: '2026-01-02T03:04:05.000Z',
  minutes: 41.7,
  version: '1.2.3',
  machine: { Processor: 'a processor, 2 cores' },
  benchmarks: [
    {
      name: 'hot-swap',
      about: 'Replacing an extension.',
      rows: [
        { extension: 'hello', failed: 0, swap_ms_median: 1.23456 },
        { extension: 'chat', failed: 0, swap_ms_median: 12.5 },
      ],
      verdicts: [{ bound: 'failed at most 0', found: [0, 0], isKept: true }],
    },
    { name: 'search', about: 'Searches.', rows: ['a', 'b', 'c', 'd'].map((kind) => ({ kind, ms_p95: 2 })), verdicts: [] },
    {
      name: 'growth-members',
      about: 'Members.',
      rows: [
        { of: 'members', what: 'a page', size: 100, cpu_us: 250 },
        { of: 'members', what: 'a page', growth: 1.1, plot: 'members-a-page.svg' },
      ],
      verdicts: [{ bound: 'growth of a page at most 1.5', found: [1.6], isKept: false }],
    },
    { name: 'nodes', about: 'Nodes.', rows: [], verdicts: [{ bound: 'ratio at most 1.3', found: [], isKept: false }], fault: 'no engine' },
  ],
};

t.test('a report has time and machine, and counts missed bounds', (t) => {
  const text = reportOf(run);
  for (const line of ['| Started | 2026-01-02 03:04 UTC |', '| Took | 42 minutes |', '| Processor | a processor, 2 cores |'])
    t.ok(text.includes(line), line);
  t.match(text, '2 were missed in this run');
  t.end();
});

t.test('a report shows few rows side by side and many below each other, with units in the labels', (t) => {
  const text = reportOf(run);
  t.match(text, '| Figure | hello | chat |\n| --- | --- | --- |\n| failed | 0 | 0 |\n| swap, median (ms) | 1.235 | 12.5 |');
  t.match(text, '| kind | p95 (ms) |\n| --- | --- |\n| a | 2 |');
  t.match(text, '| processor time (µs) | 250 |');
  t.end();
});

t.test('a report shows bounds, plots and failed benchmarks', (t) => {
  const text = reportOf(run);
  t.match(text, '| failed at most 0 | 0, 0 | yes |');
  t.match(text, '| growth of a page at most 1.5 | 1.6 | **no** |');
  t.match(text, '![growth-members: a page](images/performance/members-a-page.svg)');
  t.match(text, 'Not measured in this run: no engine');
  t.match(text, '| ratio at most 1.3 | not measured | **no** |');
  t.end();
});

t.test('a benchmark that is measured again replaces its section alone, and says when', (t) => {
  const search = { name: 'search', about: 'Searches.', rows: [{ kind: 'e', ms_p95: 7 }], verdicts: [] };
  const people = { ...search, name: 'people', about: 'People.' };
  const again = withMeasuredAgain(run, { ...run, started_at: '2026-02-03T04:05:06.000Z', benchmarks: [search, people] });
  t.same(
    again.benchmarks.map(({ name }) => name),
    ['hot-swap', 'search', 'growth-members', 'nodes', 'people'],
  );
  const text = reportOf(again);
  t.match(text, '| Started | 2026-01-02 03:04 UTC |');
  t.match(
    text,
    '## search\n\nSearches.\n\nMeasured again on its own: 2026-02-03 04:05 UTC.\n\n| Figure | e |\n| --- | --- |\n| p95 (ms) | 7 |',
  );
  t.match(text, '## hot-swap\n\nReplacing an extension.\n\n| Figure');
  t.end();
});
