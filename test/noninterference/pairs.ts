import { compare, type Difference } from './compare.js';
import { historyOf } from './history.js';
import { play } from './play.js';
import type { Stage } from './stage.js';

/** A pair of runs whose readers could tell them apart. */
export interface Finding {
  seed: number;
  placement: string;
  /** Whether the runs had the same secret: then the harness is at fault, not the platform. */
  is_harness: boolean;
  differences: readonly Difference[];
}

/** Platforms for the three runs of a pair: two with the same secret, and one with the other. */
export type Stages = readonly [Stage, Stage, Stage];

/**
 * Attempts at a pair whose runs with the same secret differ. Streams store read marks a moment after their events: on a busy machine one run
 * may compare unread counts before that. Only this fault of the harness is tried again, never a difference between secrets.
 */
const max_attempts = 3;

/** Runs a history twice with the same secret and once with the other; undefined if nobody could tell the runs apart. */
export async function pairOf(stages: Stages, seed: number): Promise<Finding | undefined> {
  let finding = await attemptOf(stages, seed);
  for (let attempt = 2; finding?.is_harness && attempt <= max_attempts; attempt += 1) finding = await attemptOf(stages, seed);
  return finding;
}

async function attemptOf([one, control, other]: Stages, seed: number): Promise<Finding | undefined> {
  const history = historyOf(seed);
  const { placement, values } = history;
  const first = await play(one, history, values[0]);
  const same = compare(first, await play(control, history, values[0]));
  if (same.length > 0) return { seed, placement, is_harness: true, differences: same };
  const differences = compare(first, await play(other, history, values[1]));
  return differences.length > 0 ? { seed, placement, is_harness: false, differences } : undefined;
}

/** Describes a finding in a few lines. */
export function describe({ seed, placement, is_harness, differences }: Finding): string {
  const cause = is_harness ? 'The same secret twice gave different results' : `Readers can tell the secret (${placement})`;
  const lines = differences.slice(0, 4).flatMap(({ door, step, one, other }) => {
    let at = 0;
    while (at < one.length && one[at] === other[at]) at += 1;
    const from = Math.max(0, at - 80);
    return [`  ${door}, step ${step}:`, `    ${one.slice(from, from + 400)}`, `    ${other.slice(from, from + 400)}`];
  });
  return [`Seed ${seed}: ${cause}`, ...lines].join('\n');
}
