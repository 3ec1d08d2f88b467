import type { Used } from '../contract.js';
import { costsOf, type PricedTokens, type PriceOf } from './prices.js';

/** Tokens, requests and replies of an AI employee's model. */
export interface UsedRow extends PricedTokens {
  calls: number;
  replies: number;
}

/** Sums rows, with their cost. */
export function sumOf(rows: readonly UsedRow[], priceOf: PriceOf): Used {
  const used = { input_tokens: 0, output_tokens: 0, calls: 0, replies: 0 };
  for (const row of rows) {
    used.input_tokens += row.input_tokens;
    used.output_tokens += row.output_tokens;
    used.calls += row.calls;
    used.replies += row.replies;
  }
  return { ...used, costs: costsOf(rows, priceOf) };
}

/** Sums rows that are equal in a key, in the order of their first ones. */
export function groupedBy<Key extends string, Row extends UsedRow & Record<Key, unknown>>(
  rows: readonly Row[],
  key: Key,
  priceOf: PriceOf,
): (Used & Pick<Row, Key>)[] {
  const groups = new Map<Row[Key], Row[]>();
  for (const row of rows) {
    const group = groups.get(row[key]);
    if (group) group.push(row);
    else groups.set(row[key], [row]);
  }
  return [...groups].map(([name, group]) => ({ [key]: name, ...sumOf(group, priceOf) }) as Used & Pick<Row, Key>);
}

/** Sorts by tokens, most used first. */
export function mostUsedFirst<Item extends Used>(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => tokensOf(other) - tokensOf(one));
}

function tokensOf({ input_tokens, output_tokens }: Used): number {
  return input_tokens + output_tokens;
}
