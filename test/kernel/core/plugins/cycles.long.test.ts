import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { silentLog, systemClock } from '../../../helpers/databases.js';
import { ownExtension } from '../../../helpers/platform.js';
import { pluginZip } from './bundle.js';
import { extensions, startWorld } from './world.js';

const cycles = 40;

/** Returns the used heap after a collection, in MB. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** How many processes this one has started that still are, and those have. */
function processes(pid: number | string = process.pid): number {
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return started.reduce((count, child) => count + processes(child), started.length);
}

/** How many rows say that something of a guest is there; what is kept of the past may grow. */
async function counts(data_dir: string, url: string): Promise<Record<string, number>> {
  const data = await openData({ url, data_dir, clock: systemClock, log: silentLog });
  const db = data.facade('kernel');
  const found: Record<string, number> = {};
  const tables = {
    kernel_extensions: '',
    kernel_blob_holders: '',
    kernel_listeners: "WHERE extension = 'guest'",
    kernel_storage: "WHERE extension = 'guest'",
    kernel_settings: "WHERE key LIKE 'plugin_%'",
  };
  for (const [table, where] of Object.entries(tables)) {
    found[table] = Number((await db.rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} ${where}`))[0]?.n);
  }
  await data.close();
  return found;
}

t.test(`${cycles} installations and removals leave no process, folder or row, and little memory`, async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ownExtension('members')] });
  const zip = pluginZip({
    permissions: { storage: true },
    files: [{ name: 'more.txt', content: 'x'.repeat(1_000) }],
    activate: `ctx.listen('guest.happened', async () => {});
      ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': () => ctx.storage.set('k', 1) });`,
  });
  const cycle = async () => {
    await world.install(zip);
    await world.ask('guest.greet');
    await world.uninstall('guest', { purge: true });
  };
  for (let n = 0; n < 10; n += 1) await cycle();
  const [before, started] = [heap(), processes()];
  for (let n = 10; n < cycles; n += 1) await cycle();
  t.ok(processes() <= started, 'no process is left');
  t.same(await world.folders(), [], 'no folder is left');
  const grown = heap() - before;
  t.ok(grown < 15, `the heap has grown by ${grown.toFixed(1)} MB`);
  t.same(
    world.lines.filter(({ level, stream }) => (level === 'error' || level === 'warn') && stream === undefined),
    [],
  );
  await world.kernel.close();
  const rows = await counts(world.data_dir, world.database_url);
  t.same(
    Object.entries(rows).filter(([, n]) => n > 0),
    [],
    'no row is left',
  );
  t.equal(Object.keys(rows).length, 5);
});
