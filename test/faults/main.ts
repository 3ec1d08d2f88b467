/**
 * Breaks a cluster, and an instance that is alone, while clients write. Prints the plan, and a verdict a line as JSON; exit
 * code 1 where something was wrong. Runs in a namespace of its own: see `namespace.ts`.
 *
 * `--seed N` the same faults in the same order; `--minutes N` faults at random for so long, otherwise each once;
 * `--together N` so many at a time (default 1); `--only TEXT` those whose names have it; `--short` without those that take long;
 * `--instances 1|3` one of the two; `--slack N` N times as long for each recovery, on a busy machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Fault, faultsOf } from './faults.js';
import { endless, onceEach } from './plan.js';
import { Random } from './random.js';
import { Trial, type Verdict } from './trial.js';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { seed: text, minutes: text, together: text, only: text, instances: text, short: { type: 'boolean' }, slack: text },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const together = Number(values.together ?? 1);
const slack = Number(values.slack ?? 1);
const counts = values.instances === undefined ? [3, 1] : [Number(values.instances)];

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Each fault once, or at random until the time is over. */
function* rounds(instances: number, random: Random): Generator<Fault[]> {
  const faults = faultsOf(instances).filter(({ name, isSlow }) => name.includes(values.only ?? '') && !(isSlow && values.short));
  if (minutes === undefined) return yield* onceEach(faults, { together, random });
  const end = performance.now() + minutes * 60_000;
  for (const round of endless(faults, { together, random })) {
    if (performance.now() > end) return;
    yield round;
  }
}

async function suffer(instances: number): Promise<boolean> {
  const random = new Random(seed + instances);
  const folder = await mkdtemp(join(tmpdir(), 'platform-faults-'));
  const trial = await Trial.begin({ folder, instances, disk_mb: minutes === undefined ? 64 : 512, slack, random });
  let isRight = true;
  const tell = (verdict: Verdict) => {
    isRight &&= verdict.wrong.length === 0;
    print({ instances, ...verdict });
  };
  try {
    for (const round of rounds(instances, random)) {
      print({ instances, plan: round.map(({ name }) => name) });
      tell(await trial.suffer(round));
    }
    tell(await trial.end());
  } finally {
    await trial.close();
    // The remains of a red trial explain it.
    if (isRight) await rm(folder, { recursive: true, force: true });
    else print({ logs: folder });
  }
  return isRight;
}

print({ seed, minutes: minutes ?? 'each once', together });
const ends = await Promise.all(counts.map(suffer));
process.exit(ends.every(Boolean) ? 0 : 1);
