import type { UsageRow } from '../models.js';
import type { Taken } from './store.js';

/** Tokens that several questions to models took together. */
export type Sum = UsageRow;

type Keys = readonly (keyof Taken)[];

/** Adds up what is equal in all of the keys; in the order of these, so that two who write the same rows don't wait for each other. */
export function summed(taken: readonly Taken[], keys: Keys): Sum[] {
  const sums = new Map<string, Sum>();
  for (const one of taken) {
    const key = keyOf(one, keys);
    const { input_tokens, output_tokens, estimated, calls } = sums.get(key) ?? nothing;
    sums.set(key, {
      ...one,
      input_tokens: input_tokens + one.input_tokens,
      output_tokens: output_tokens + one.output_tokens,
      estimated: estimated || one.estimated,
      calls: calls + 1,
    });
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

/** What is equal of two that are added up. */
export function keyOf<Key extends keyof Taken>(taken: Readonly<Record<Key, unknown>>, keys: readonly Key[]): string {
  return JSON.stringify(keys.map((key) => taken[key]));
}

const nothing = { input_tokens: 0, output_tokens: 0, estimated: false, calls: 0 };
