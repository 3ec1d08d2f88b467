import type { EventLog } from 'tap-parser';
import { Parser } from 'tap-parser';
import { faultText } from './fault.js';

/** How a run ended, counted in tests (a `t.test` without further ones inside), not in assertions. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** A reason for each skipped test. */
  readonly skipped: readonly string[];
  /** Each failed test: where it stands and what it said. */
  readonly faults: readonly string[];
}

interface Line {
  ok: boolean;
  skip: boolean | string;
  todo: boolean | string;
  name?: string;
  diag?: unknown;
}

const none: Tally = { passed: 0, failed: 0, skipped: [], faults: [] };
const pass: Tally = { ...none, passed: 1 };

/** Counts what tap wrote. */
export function tally(text: string): Tally {
  return count(Parser.parse(text), '');
}

/** The files that took longest, with their seconds. */
export function slowest(text: string, max = 8): string[] {
  const files = [...text.matchAll(/^(?:not )?ok \d+ - (\S+\.js) # time=([\d.]+)ms/gm)];
  const times = files.map(([, file = '', ms]) => ({ file, seconds: Number(ms) / 1000 }));
  times.sort((one, other) => other.seconds - one.seconds);
  return times.slice(0, max).map(({ file, seconds }) => `${seconds.toFixed(1)} s  ${file}`);
}

function count(events: EventLog, path: string): Tally {
  let sum = none;
  let child: EventLog | undefined;
  for (const [kind, value] of events) {
    if (kind === 'child') child = value;
    if (kind === 'bailout') sum = add(sum, failure(path, { name: 'bail out', diag: value }));
    if (kind !== 'assert') continue;
    sum = add(sum, outcome(value, child, path));
    child = undefined;
  }
  return sum;
}

function failure(path: string, { name = '', diag }: Pick<Line, 'name' | 'diag'>): Tally {
  return { ...none, failed: 1, faults: [faultText(`${path}${name}`, diag)] };
}

/** Counts one line `ok` or `not ok`. An assertion beside tests counts only if it failed. */
function outcome(result: Line, child: EventLog | undefined, path: string): Tally {
  const reason = result.skip || result.todo;
  if (reason) return { ...none, skipped: [reason === true ? 'no reason given' : reason] };
  const below = `${path}${result.name ?? ''} > `;
  if (child?.some(([kind]) => kind === 'child')) {
    const inner = count(child, below);
    return result.ok || inner.failed > 0 ? inner : add(inner, failure(path, result));
  }
  if (!result.ok) return failure(path, firstFault(result, child));
  if (child === undefined) return none;
  const skipped = child.flatMap(([kind, value]) => (kind === 'assert' && value.skip ? [String(value.skip)] : []));
  return skipped.length > 0 ? { ...none, skipped: skipped.slice(0, 1) } : pass;
}

/** The assertion that made a test fail says more than the test. */
function firstFault(result: Line, child: EventLog | undefined): Pick<Line, 'name' | 'diag'> {
  for (const [kind, value] of child ?? []) {
    if (kind === 'assert' && !value.ok) return { name: `${result.name ?? ''} > ${value.name}`, diag: value.diag };
  }
  return result;
}

function add(a: Tally, b: Tally): Tally {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: [...a.skipped, ...b.skipped],
    faults: [...a.faults, ...b.faults],
  };
}
