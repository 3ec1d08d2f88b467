import t from 'tap';
import { temporaryFolder } from '../helpers/platform.js';
import { leaks, planted } from './leaks.js';
import { pairOf } from './pairs.js';
import { placements } from './placements.js';
import { Stage } from './stage.js';

/** Pairs within which each leak must show: each place of a secret twice. */
const pairs = 2 * placements.length;

for (const leak of leaks) {
  t.test(`the pairs show it if ${leak.name}`, async (t) => {
    const stage = await Stage.start(t, { extensions: await planted(leak, await temporaryFolder(t)) });
    for (let seed = leak.from; seed < leak.from + pairs; seed += 1) {
      // Its runs see each other, so the same secret differs too.
      const finding = await pairOf(stage, seed, { check: false });
      if (!finding) continue;
      t.comment(`seed ${seed}: ${finding.placement}, at ${finding.differences[0]?.door}`);
      t.pass();
      return;
    }
    t.fail(`None of ${pairs} pairs shows it`);
  });
}
