import t from 'tap';
import { describe, pairOf } from './pairs.js';
import { Stage } from './stage.js';

const pairs = 4;

t.test(`nobody can tell ${pairs} pairs of histories apart that differ in what one member alone may see`, async (t) => {
  const stage = await Stage.start(t);
  for (let seed = 1; seed <= pairs; seed += 1) {
    const finding = await pairOf([stage, stage, stage], seed);
    t.notOk(finding && describe(finding));
  }
});
