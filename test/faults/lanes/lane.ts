import type { Asker } from '../asker.js';

/** The parts of a lane. */
export interface World {
  asker: Asker;
  /** Part of names, so that runs on one installation don't meet. */
  run: string;
  /** Rows of the installation's database, whatever the instances say. */
  rows<Row>(sql: string): Promise<Row[]>;
}

/** One kind of numbered things that a client writes, and remembers once they are acknowledged. */
export interface Lane {
  readonly name: string;
  /** How many were acknowledged. */
  readonly acknowledged: number;
  /** Writes the next; resolves once it is acknowledged. */
  write(): Promise<void>;
  /** Returns faults of acknowledged work, a sentence each, while nothing is written; unfinished work is left out. */
  faults(): Promise<string[]>;
  /** The same with what has not ended yet, for which it waits. */
  settled?(): Promise<string[]>;
  /** Ends what it reads. */
  close?(): void;
}

/** Returns what is missing or doubled if each of `wanted` must exist once. */
export function notOnce(wanted: readonly string[], found: readonly string[]): string[] {
  const counts = new Map(wanted.map((name) => [name, 0]));
  for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => (count === 1 ? [] : [count === 0 ? `${name} is lost` : `${name} is there ${count} times`]));
}
