import { median } from '../bench/statistics.js';
import type { Figures, FiguresAtRest } from './server.js';

export interface Found {
  /** One at each sample under load, in order. */
  samples: readonly Figures[];
  /** Before the load, when all had been used once, and after it: both while nothing was asked. */
  before: FiguresAtRest;
  after: FiguresAtRest;
  /** In milliseconds, window by window. */
  p99: { reads: readonly number[]; writes: readonly number[] };
  /** How much of what was planned was done: 1 for all. */
  share: number;
  requests: number;
  failed: number;
}

export interface Line {
  what: string;
  found: string;
  isKept: boolean;
}

/**
 * By so much memory may grow from the third quarter to the last: what is kept for ten minutes has had its time by then.
 * What V8 holds for what is to come is left out: its young generation goes from 4 to 60 MB within minutes of the same load; and what
 * was kept for ten minutes leaves gaps among what stays, for some minutes more of them than are filled. What leaks is in neither.
 */
const max_growth = 0.05;
/** Gaps, as a part of what is in use: the platform lets V8 fill three times as much before it collects everything. */
const max_spare = 2;
/** Tolerated growth of live objects at rest: caches fill, timers of the hour come and go. */
const max_more = { handles: 5, emitters: 50, signals: 50, functions: 0.25 };
const max_slower = 2;
/** Below this it is the machine's affair. */
const fast_ms = 50;

/** The verdict of a long load, line by line. */
export function judge(found: Found): Line[] {
  return [
    work(found),
    memory('heap', found.samples, ({ heap_mb }) => heap_mb),
    memory('memory', found.samples, ({ memory_mb }) => memory_mb),
    spare(found.samples),
    atRest('handles', found, max_more.handles),
    atRest('emitters', found, max_more.emitters),
    atRest('abort signals', found, max_more.signals),
    atRest('functions', found, Math.round(found.before.functions * max_more.functions)),
    listeners(found),
    pace('p99 of reads', found.p99.reads),
    pace('p99 of writes', found.p99.writes),
  ];
}

function work({ share, requests, failed }: Found): Line {
  const isKept = failed === 0 && share >= 0.98;
  return { what: 'the load', found: `${Math.round(share * 100)} % of it done, ${requests} requests, ${failed} failed`, isKept };
}

function memory(what: string, samples: readonly Figures[], pick: (figures: Figures) => number): Line {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const [early, late] = [samples.slice(2 * quarter, 3 * quarter), samples.slice(-quarter)].map((part) => median(part.map(pick))) as [
    number,
    number,
  ];
  const growth = late / early - 1;
  return { what: `${what} flat`, found: `${mb(early)}, then ${mb(late)} (${percent(growth)})`, isKept: growth <= max_growth };
}

function spare(samples: readonly Figures[]): Line {
  const parts = samples.map(({ spare_mb, heap_mb }) => spare_mb / heap_mb);
  const max = Math.max(...parts);
  return {
    what: 'gaps in the heap bounded',
    found: `at most ${Math.round(max * 100)} % of what is in use (${max_spare * 100} %)`,
    isKept: max <= max_spare,
  };
}

const counted = { handles: 'handles', emitters: 'emitters', 'abort signals': 'signals', functions: 'functions' } as const;

function atRest(what: keyof typeof counted, { before, after }: Found, max: number): Line {
  const [first, last] = [before[counted[what]], after[counted[what]]];
  return {
    what: `no ${what} leaked`,
    found: `${first} at rest before, ${last} after (at most ${max} more)`,
    isKept: last - first <= max,
  };
}

function listeners({ before, after }: Found): Line {
  const found = `${before.listeners} of the process before, ${after.listeners} after; ${after.warnings} warnings of too many`;
  return { what: 'no listeners leaked', found, isKept: after.listeners <= before.listeners && after.warnings === 0 };
}

function pace(what: string, windows: readonly number[]): Line {
  const [first = Number.NaN, last = Number.NaN] = [windows[0], windows.at(-1)];
  const found = `${windows.map((ms) => Math.round(ms)).join(', ')} ms`;
  return { what: `${what} stable`, found, isKept: last <= Math.max(fast_ms, first * max_slower) };
}

const mb = (value: number): string => `${value.toFixed(1)} MB`;
const percent = (value: number): string => `${value < 0 ? '' : '+'}${(value * 100).toFixed(1)} %`;
