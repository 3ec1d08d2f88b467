import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Benchmark, benchmarksOf } from './benchmarks.js';
import { bounds, judge } from './bounds.js';
import { type Measured, machine, page, type Run, reportOf, withMeasuredAgain } from './report.js';

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { plots: { type: 'string' }, full: { type: 'boolean', default: false }, report: { type: 'boolean', default: false } },
});
const plots = options.plots ?? (options.report ? page.plots : mkdtempSync(join(tmpdir(), 'platform-plots-')));
const benchmarks = benchmarksOf({ full: options.full, plots });
const started = new Date();
const before = machine();
const measured: Measured[] = [];

const is_whole = named.length === 0;

if (options.report) {
  if (is_whole) rmSync(page.plots, { recursive: true, force: true });
  mkdirSync(page.plots, { recursive: true });
}
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (!is_whole && !named.some((one) => one === name || (one === 'growth' && name.startsWith('growth-')))) continue;
  measured.push(await measure(name, benchmark));
}
if (options.report) writeReport();

/** Measures a benchmark and prints what it found. In a report one that fails doesn't end the others. */
async function measure(name: string, { about, measure }: Benchmark): Promise<Measured> {
  let fault: string | undefined;
  const rows = await measure().then(
    (found) => [found].flat(),
    (err: unknown) => {
      if (!options.report) throw err;
      fault = err instanceof Error ? err.message : String(err);
      return [];
    },
  );
  console.log(`\n${name}`);
  if (fault !== undefined) console.log(`failed: ${fault}`);
  if (name.startsWith('growth-')) printGrowth(rows);
  else for (const row of rows) console.table(rounded(row));
  const verdicts = judge(rows, bounds[name] ?? []);
  for (const { bound, found: values, isKept } of verdicts) console.log(`${isKept ? 'kept  ' : 'MISSED'} ${bound}: ${shown(values)}`);
  console.log(JSON.stringify({ benchmark: name, found: rows, verdicts }));
  if (fault !== undefined || !verdicts.every(({ isKept }) => isKept)) process.exitCode = 1;
  return { name, about, rows: rows.map(withoutFolder), verdicts, ...(fault === undefined ? {} : { fault }) };
}

function writeReport(): void {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const minutes = (Date.now() - started.getTime()) / 60_000;
  const measuredNow: Run = { started_at: started.toISOString(), minutes, version, machine: before, benchmarks: measured };
  const run = is_whole ? measuredNow : withMeasuredAgain(JSON.parse(readFileSync(page.figures, 'utf8')) as Run, measuredNow);
  const figures = JSON.stringify(run, undefined, 1);
  writeFileSync(page.figures, `${figures}\n`);
  // The page is read back from the file, so that it also shows what JSON can't hold, such as NaN, as the file has it.
  writeFileSync(page.path, reportOf(JSON.parse(figures) as Run));
  console.log(`\nwritten: ${page.path}, ${page.figures}, ${page.plots}`);
}

/** A report names a plot by its file alone. */
function withoutFolder(row: Record<string, unknown>): Record<string, unknown> {
  return typeof row.plot === 'string' ? { ...row, plot: relative(plots, row.plot) } : row;
}

/** A table of all sizes, one of what became of the cost, and where the plots are. */
function printGrowth(found: Record<string, unknown>[]): void {
  const [sizes, growths] = [found.filter(({ size }) => size !== undefined), found.filter(({ plot }) => plot !== undefined)];
  console.table(sizes.map(rounded));
  console.table(growths.map(({ plot: _plot, ...row }) => rounded(row)));
  console.log(`plots: ${plots}`);
}

function shown(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)).join(', ') || 'not measured';
}

function rounded(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? Number(value.toPrecision(4)) : value]),
  );
}
