import { parseArgs } from 'node:util';
import t from 'tap';
import { describe, pairOf } from './pairs.js';
import { Stage } from './stage.js';

/** Pairs on one platform, so that its database stays small. */
const per_stage = 100;

const options = { pairs: { type: 'string', default: '2000' }, from: { type: 'string', default: '1' } } as const;
const { pairs, from } = parseArgs({ options }).values;

// `npm run noninterference`: takes minutes, so nothing limits its time.
t.setTimeout(0);
t.test(`nobody can tell ${pairs} pairs of histories apart`, async (t) => {
  const began_ms = Date.now();
  const [first, count] = [Number(from), Number(pairs)];
  for (let start = 0; start < count; start += per_stage) {
    await t.test(`seeds from ${first + start}`, async (t) => {
      const stage = await Stage.start(t);
      for (let seed = first + start; seed < first + Math.min(count, start + per_stage); seed += 1) {
        const finding = await pairOf([stage, stage, stage], seed);
        if (finding) t.fail(describe(finding));
      }
    });
  }
  t.comment(
    `${((Date.now() - began_ms) / count).toFixed(0)} ms a pair, ${(process.cpuUsage().user / 1_000 / count).toFixed(0)} ms of processor time`,
  );
});
