import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import { table } from '../helpers/markdown.js';
import type { Verdict } from './bounds.js';

/** Files of the report, in the folder of the project. */
export const page = { path: 'docs/performance.md', figures: 'docs/performance.json', plots: 'docs/images/performance' };

type Row = Readonly<Record<string, unknown>>;

/** Measurements of one benchmark. */
export interface Measured {
  name: string;
  /** A sentence on what is measured, and beside what. */
  about: string;
  rows: readonly Row[];
  verdicts: readonly Verdict[];
  /** Why it could not be measured. */
  fault?: string;
  /** Start of the later run that measured it again, ISO 8601 in UTC. */
  measured_again_at?: string;
}

/** One run of the benchmarks. */
export interface Run {
  /** Start of the run, ISO 8601 in UTC. */
  started_at: string;
  minutes: number;
  version: string;
  machine: Readonly<Record<string, string>>;
  benchmarks: readonly Measured[];
}

/** Describes this machine: processor, memory, system, and how busy it is now. */
export function machine(): Run['machine'] {
  const [processor] = cpus();
  return {
    Processor: `${processor?.model.trim()}, ${cpus().length} cores`,
    Memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    System: `${type()} ${release()}, ${arch()}`,
    'Node.js': process.versions.node,
    'Load average before the run': (loadavg()[0] as number).toFixed(2),
  };
}

/** Returns an earlier run with the benchmarks that were measured again in its own place, or at the end. */
export function withMeasuredAgain(earlier: Run, { started_at, benchmarks }: Run): Run {
  const again = new Map(benchmarks.map((one) => [one.name, { ...one, measured_again_at: started_at }]));
  const kept = earlier.benchmarks.map((one) => again.get(one.name) ?? one);
  const added = [...again.values()].filter(({ name }) => !kept.some((one) => one.name === name));
  return { ...earlier, benchmarks: [...kept, ...added] };
}

/** Returns the page `docs/performance.md`. */
export function reportOf(run: Run): string {
  const { started_at, minutes, version, machine, benchmarks } = run;
  const facts = Object.entries({
    Version: version,
    Started: minuteOf(started_at),
    Took: `${Math.round(minutes)} minutes`,
    ...machine,
  });
  const missed = benchmarks.flatMap(({ verdicts }) => verdicts).filter(({ isKept }) => !isKept).length;
  return `<!-- Generated from docs/performance.json, which \`npm run bench -- --report\` writes. -->

# Performance

This page is for people who ask how fast the platform is and how far one server reaches. All figures are from one run of
the project's own benchmarks on one machine, except where a section says that it was measured again. Repeat them on yours before you
rely on them: \`npm run bench -- --report\` measures everything and writes this page, \`npm run bench -- --report NAME\` measures one
section again, and \`npm run bench -- NAME\` only prints it.

${table(['Run', ''], facts)}

Most figures have a **limit** beside them, measured in the same run: the same work done by hand with the bare library or
statement, without the platform. Names that begin with \`limit\` are its figures, and \`ratio\` compares the two. Ratios
hold on other machines; times don't. **Bounds** are what the project promises; ${missed === 0 ? 'all were kept in this run' : `${missed} ${missed === 1 ? 'was' : 'were'} missed in this run`}.
Rows named \`growth\` say how many times as much processor time a unit of work takes at the largest size as at the cheapest smaller one.

For what to do when one server is not enough, read [many instances](administering/many-instances.md).

${benchmarks.map(sectionOf).join('\n\n')}

## Running for a long time

\`npm run soak\` sends the mixed load of a hundred people's day in 20 minutes and fails if memory, handles, listeners or response times
grow. V8 runs with its own settings. A server that writes hundreds of replies at once may gain from a larger young generation,
\`NODE_OPTIONS=--max-semi-space-size=32\`: measure it with your load.
`;
}

function sectionOf({ name, about, rows, verdicts, fault, measured_again_at }: Measured): string {
  const parts = [`## ${name}`, about];
  if (measured_again_at !== undefined) parts.push(`Measured again on its own: ${minuteOf(measured_again_at)}.`);
  if (fault !== undefined) parts.push(`Not measured in this run: ${fault}`);
  const figures = rows.filter((row) => row.plot === undefined);
  for (const group of alike(figures)) parts.push(tableOf(group));
  const plotted = rows.filter((row) => row.plot !== undefined);
  if (plotted.length > 0) {
    parts.push(tableOf(plotted.map(({ plot: _plot, ...row }) => row)));
    parts.push(plotted.map(({ what, plot }) => `![${name}: ${String(what)}](images/performance/${String(plot)})`).join('\n'));
  }
  if (verdicts.length > 0) {
    const judged = verdicts.map(({ bound, found, isKept }) => [
      bound,
      found.map(shown).join(', ') || 'not measured',
      isKept ? 'yes' : '**no**',
    ]);
    parts.push(table(['Bound', 'Found', 'Kept'], judged));
  }
  return parts.join('\n\n');
}

function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Groups rows with the same figures, in their order. */
function alike(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const keys = keysOf(row).join();
    groups.set(keys, [...(groups.get(keys) ?? []), row]);
  }
  return [...groups.values()];
}

/** Few rows stand side by side as columns, since they have many figures. */
function tableOf(rows: readonly Row[]): string {
  const keys = keysOf(rows[0] ?? {});
  if (rows.length > 3)
    return table(
      keys.map(labelOf),
      rows.map((row) => keys.map((key) => shown(row[key]))),
    );
  const texts = keys.filter((key) => rows.every((row) => typeof row[key] === 'string'));
  const figures = keys.filter((key) => !texts.includes(key));
  const heads = rows.map((row) => texts.map((key) => row[key]).join(', ') || 'Value');
  return table(
    ['Figure', ...heads],
    figures.map((key) => [labelOf(key), ...rows.map((row) => shown(row[key]))]),
  );
}

function keysOf(row: Row): string[] {
  return Object.keys(row).filter((key) => row[key] !== undefined);
}

const units: Readonly<Record<string, string>> = { ms: 'ms', us: 'µs', s: 's', mb: 'MB', kb: 'KB', percent: '%' };
const statistics: Readonly<Record<string, string>> = {
  p50: 'median',
  median: 'median',
  p90: 'p90',
  p95: 'p95',
  p99: 'p99',
  max: 'maximum',
  min: 'minimum',
};
const words: Readonly<Record<string, string>> = { cpu: 'processor time' };

/** `swap_ms_median` reads "swap, median (ms)". */
function labelOf(key: string): string {
  const parts = key
    .replace(/_per_s$/, '_per second')
    .replace('cpu_percent', 'share of a core_percent')
    .split('_');
  const unit = parts.find((part) => part in units);
  const statistic = parts.find((part) => part in statistics);
  const name = parts
    .filter((part) => part !== unit && part !== statistic)
    .map((part) => words[part] ?? part)
    .join(' ');
  return `${[name, statistic && statistics[statistic]].filter(Boolean).join(', ') || 'time'}${unit ? ` (${units[unit]})` : ''}`;
}

function shown(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en', { maximumSignificantDigits: 4 });
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
