import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';
import { temporaryFolder } from '../../helpers/platform.js';
import { bounds } from '../bounds.js';
import { growthBenchmarks } from './all.js';
import { slight } from './effort.js';

const smallest = {
  effort: slight,
  rounds: 1,
  seconds: 0.5,
  sizes: { members: [100, 200], messages: [1_000, 2_000], streams: [4, 8], sockets: [1, 10], schedules: [100, 200], extensions: [8, 9] },
};

t.test('the benchmark of growth measures each quantity at each size against its limit, with a plot and bounds', async (t) => {
  const plots = await temporaryFolder(t);
  for (const [name, { measure }] of Object.entries(growthBenchmarks(smallest, plots))) {
    const rows = await measure();
    const costs = rows.filter(({ size }) => size !== undefined);
    const growths = rows.filter(({ plot }) => plot !== undefined);
    t.ok(
      costs.every((row) => [row.cpu_us, row.limit_cpu_us].every((cost) => typeof cost === 'number' && cost > 0)),
      name,
    );
    t.equal(costs.length, 2 * growths.length, 'both sizes of each quantity are measured');
    const kinds = growths.map(({ what }) => what);
    t.strictSame([...new Set(costs.map(({ what }) => what))], kinds);
    for (const { plot } of growths) t.match(await readFile(String(plot), 'utf8'), /<svg .*<polyline .*its limit/s);
    const bounded = (bounds[name] ?? []).map(({ where }) => where?.what);
    t.strictSame([...new Set(bounded)].sort(), [...kinds].sort(), `what ${name} measures has bounds, and nothing else`);
  }
  t.ok((await readdir(plots)).length > 15);
});
