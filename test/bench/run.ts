import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bounds, judge } from './bounds.js';
import { dashboard } from './dashboard.js';
import { extent, growthBenchmarks } from './growth/all.js';
import { guessedPasswords } from './guessed-passwords.js';
import { hotSwap } from './hot-swap.js';
import { install, installMemory } from './install.js';
import { instances } from './instances.js';
import { logins } from './logins.js';
import { nodes } from './nodes.js';
import { notifications } from './notifications.js';
import { pluginSchemas } from './plugin-schemas.js';
import { pluginCalls, pluginPings } from './plugins.js';
import { requests } from './requests.js';
import { schedules } from './schedules.js';
import { search } from './search.js';
import { sends } from './sends.js';
import { sockets } from './sockets.js';
import { startUp } from './start-up.js';
import { streamed } from './streams.js';

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { plots: { type: 'string' }, full: { type: 'boolean', default: false } },
});
const plots = options.plots ?? mkdtempSync(join(tmpdir(), 'platform-plots-'));

/** Each benchmark by its name; all of them, or those that the command line names. `growth` names all whose names begin so. */
const benchmarks: Record<string, () => Promise<unknown>> = {
  'start-up': startUp,
  requests,
  logins,
  'guessed-passwords': guessedPasswords,
  sockets,
  search: () => search(),
  schedules,
  notifications: () => notifications(),
  nodes,
  dashboard,
  streams: streamed,
  sends: () => sends(),
  'plugin-calls': pluginCalls,
  'plugin-pings': pluginPings,
  'plugin-schemas': pluginSchemas,
  instances,
  install,
  'install-memory': installMemory,
  'hot-swap': async () => [await hotSwap('hello', 200), await hotSwap('chat', 200), await hotSwap('members', 200)],
  'hot-swap-memory': async () => [await hotSwap('hello', 1000), await hotSwap('chat', 200)],
  ...growthBenchmarks(extent(options.full), plots),
};

for (const [name, measure] of Object.entries(benchmarks)) {
  if (named.length > 0 && !named.some((one) => one === name || (one === 'growth' && name.startsWith('growth-')))) continue;
  const found = [await measure()].flat() as Record<string, unknown>[];
  console.log(`\n${name}`);
  if (name.startsWith('growth-')) printGrowth(found);
  else for (const row of found) console.table(rounded(row));
  const verdicts = judge(found, bounds[name] ?? []);
  for (const { bound, found: values, isKept } of verdicts) console.log(`${isKept ? 'kept  ' : 'MISSED'} ${bound}: ${shown(values)}`);
  console.log(JSON.stringify({ benchmark: name, found, verdicts }));
  if (!verdicts.every(({ isKept }) => isKept)) process.exitCode = 1;
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
