import assert from 'node:assert/strict';

/** A position in a topic: after the `n`th entry of an epoch. 0 is before the first. */
export interface Position {
  readonly epoch: string;
  readonly n: number;
}

/** The entries that a topic has stored: `first` to `last`; none if `first` is `last + 1`. */
export interface Span {
  readonly epoch: string;
  readonly first: number;
  readonly last: number;
}

/** A position that no topic has: a follow from it starts with a gap. */
const NOWHERE: Position = { epoch: '', n: 0 };

const MAX_TOPIC = 200;
const MAX_CURSOR = 400;
const COUNT = /^(?:0|[1-9]\d{0,14})$/;

/** One topic, or several that receive the same entries. */
export type Topics = string | readonly [string, ...string[]];

export function namesOf(topics: Topics): readonly [string, ...string[]] {
  return typeof topics === 'string' ? [topics] : topics;
}

export function assertTopic(topic: string): void {
  assert(
    topic.length > 0 && topic.length <= MAX_TOPIC && !/\s/.test(topic),
    `A topic has 1 to ${MAX_TOPIC} characters and no space: '${topic}'`,
  );
}

export function formatCursor(topic: string, position: Position): string {
  return `${topic}.${position.epoch}.${position.n}`;
}

/** Parses a cursor of this topic; returns `NOWHERE` for anything else. */
export function parseCursor(topic: string, cursor: string): Position {
  if (cursor.length > MAX_CURSOR || !cursor.startsWith(`${topic}.`)) return NOWHERE;
  const [epoch, count, surplus] = cursor.slice(topic.length + 1).split('.');
  if (!epoch || count === undefined || surplus !== undefined || !COUNT.test(count)) return NOWHERE;
  return { epoch, n: Number(count) };
}

/**
 * Returns where a reader at `wanted` continues. After a gap it is before the oldest stored entry, so that
 * nothing is missed whenever the reader takes its snapshot. Undefined means the very first entry.
 */
export function locate(span: Span, wanted: Position | undefined): { at: Position; gap: boolean } {
  const oldest = { epoch: span.epoch, n: span.first - 1 };
  if (wanted === undefined) return { at: oldest, gap: oldest.n > 0 };
  const kept = wanted.epoch === span.epoch && wanted.n >= oldest.n && wanted.n <= span.last;
  return kept ? { at: wanted, gap: false } : { at: oldest, gap: true };
}
