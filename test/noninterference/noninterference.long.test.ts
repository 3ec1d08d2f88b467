import t from 'tap';
import { describe, pairOf } from './pairs.js';
import { placements } from './placements.js';
import { Stage } from './stage.js';

const first = 1_001;
const pairs = 100;

t.test(`nobody can tell ${pairs} more pairs apart, whatever the secret is`, async (t) => {
  const stage = await Stage.start(t);
  t.ok(pairs > placements.length, 'each place of a secret has its turn');
  for (let seed = first; seed < first + pairs; seed += 1) {
    const finding = await pairOf([stage, stage, stage], seed);
    if (finding) t.fail(describe(finding));
  }
});
