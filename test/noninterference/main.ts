import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import t from 'tap';
import { describe, pairOf } from './pairs.js';
import { Stage } from './stage.js';

/** Pairs on one platform, so that its database stays small. */
const per_stage = 50;

const options = {
  pairs: { type: 'string', default: '2000' },
  from: { type: 'string', default: '1' },
  jobs: { type: 'string', default: String(availableParallelism()) },
} as const;
const given = parseArgs({ options }).values;
const [from, pairs, jobs] = [Number(given.from), Number(given.pairs), Number(given.jobs)];

// `npm run noninterference`: takes minutes, so nothing limits its time.
t.setTimeout(0);
if (pairs <= per_stage) {
  t.test(`nobody can tell ${pairs} pairs of histories apart, from seed ${from}`, async (t) => {
    const stage = await Stage.start(t);
    for (let seed = from; seed < from + pairs; seed += 1) {
      const finding = await pairOf([stage, stage, stage], seed);
      if (finding) t.fail(describe(finding));
    }
  });
} else {
  // Each platform in a process of its own.
  t.jobs = jobs;
  const began_ms = Date.now();
  for (let start = from; start < from + pairs; start += per_stage) {
    const slice = ['--from', `${start}`, '--pairs', `${Math.min(per_stage, from + pairs - start)}`];
    void t.spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), ...slice], { buffered: true }, slice.join(' '));
  }
  t.teardown(() => console.error(`${((Date.now() - began_ms) / pairs).toFixed(0)} ms a pair, ${jobs} at a time`));
}
