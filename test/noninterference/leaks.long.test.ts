import t from 'tap';
import { temporaryFolder } from '../helpers/platform.js';
import { leaks, planted, seedsOf } from './leaks.js';
import { describe, pairOf } from './pairs.js';
import { Stage } from './stage.js';

/** Pairs within which each leak must show. */
const max_pairs = 12;

t.ok(leaks.length >= 10, 'ten ways to break the rights');

for (const leak of leaks) {
  t.test(`the pairs show it if ${leak.name}`, async (t) => {
    const folders = await planted(leak, await temporaryFolder(t));
    // A platform for each run, because with a leak the runs on one would see each other, whatever the secret is.
    const stages = [await Stage.start(t, folders), await Stage.start(t, folders), await Stage.start(t, folders)] as const;
    let tried = 0;
    for (const seed of seedsOf(leak)) {
      const finding = await pairOf(stages, seed);
      tried += 1;
      if (finding) {
        t.notOk(finding.is_harness && describe(finding), `seed ${seed}, pair ${tried}: at ${finding.differences[0]?.door}`);
        return;
      }
      if (tried === max_pairs) break;
    }
    t.fail(`None of ${max_pairs} pairs shows it`);
  });
}
