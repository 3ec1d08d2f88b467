import type { EventLog } from 'tap-parser';
import { Parser } from 'tap-parser';

/** How a run ended, counted in tests (a `t.test` without further ones inside), not in assertions. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** A reason for each skipped test. */
  readonly skipped: readonly string[];
}

const none: Tally = { passed: 0, failed: 0, skipped: [] };
const pass: Tally = { ...none, passed: 1 };
const failure: Tally = { ...none, failed: 1 };

/** Counts what tap wrote. */
export function tally(text: string): Tally {
  return count(Parser.parse(text));
}

function count(events: EventLog): Tally {
  let sum = none;
  let child: EventLog | undefined;
  for (const [kind, value] of events) {
    if (kind === 'child') child = value;
    if (kind === 'bailout') sum = add(sum, failure);
    if (kind !== 'assert') continue;
    sum = add(sum, outcome(value, child));
    child = undefined;
  }
  return sum;
}

/** What one line `ok` or `not ok` adds. An assertion beside tests only counts where it failed. */
function outcome(result: { ok: boolean; skip: boolean | string; todo: boolean | string }, child: EventLog | undefined): Tally {
  const reason = result.skip || result.todo;
  if (reason) return { ...none, skipped: [reason === true ? 'no reason given' : reason] };
  if (child?.some(([kind]) => kind === 'child')) {
    const inner = count(child);
    return result.ok || inner.failed > 0 ? inner : add(inner, failure);
  }
  if (!result.ok) return failure;
  if (child === undefined) return none;
  const skipped = child.flatMap(([kind, value]) => (kind === 'assert' && value.skip ? [String(value.skip)] : []));
  return skipped.length > 0 ? { ...none, skipped: skipped.slice(0, 1) } : pass;
}

function add(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: [...a.skipped, ...b.skipped] };
}
