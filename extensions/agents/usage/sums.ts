import type { UsageRow } from '../models.js';
import type { RequestUsage } from './store.js';

/** Tokens of several model requests. */
export type Sum = UsageRow;

type Keys = readonly (keyof RequestUsage)[];

/** Sums usage with equal keys, sorted by key, so that concurrent writers of the same rows don't deadlock. */
export function summed(taken: readonly RequestUsage[], keys: Keys): Sum[] {
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

/** Returns the key by which usage is summed. */
export function keyOf<Key extends keyof RequestUsage>(taken: Readonly<Record<Key, unknown>>, keys: readonly Key[]): string {
  return JSON.stringify(keys.map((key) => taken[key]));
}

const nothing = { input_tokens: 0, output_tokens: 0, estimated: false, calls: 0 };
