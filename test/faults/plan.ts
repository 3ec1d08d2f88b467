import type { Fault } from './faults.js';
import type { Random } from './random.js';

interface PlanOptions {
  /** Number of faults at a time. */
  together: number;
  random: Random;
}

/** Each fault once, in any order. */
export function* onceEach(faults: readonly Fault[], { together, random }: PlanOptions): Generator<Fault[], undefined> {
  for (let left = random.shuffled(faults); left.length > 0; ) {
    const round = ofDifferentParts(left, together);
    left = left.filter((fault) => !round.includes(fault));
    yield round;
  }
}

/** Faults at random, up to `together` at a time, for ever. */
export function* endless(faults: readonly Fault[], { together, random }: PlanOptions): Generator<Fault[], undefined> {
  for (;;) yield ofDifferentParts(random.shuffled(faults), 1 + random.below(together));
}

function ofDifferentParts(faults: readonly Fault[], count: number): Fault[] {
  const first = faults.filter(({ part }, index) => faults.findIndex((other) => other.part === part) === index);
  return first.slice(0, count);
}
