import { execFileSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { openData } from '../../../../kernel/data/hub.js';
import { silentLog, systemClock } from '../../../helpers/databases.js';
import { ownExtension } from '../../../helpers/platform.js';
import { guestZip } from './bundle.js';
import { extensions, startWorld } from './world.js';

const cycles = 60;

/** What is used of the heap, in MB, once what nobody needs has gone. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** The processes that this one has started, and those have. */
function children(): string[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = all.trim().split('\n').map((line) => line.trim().split(/\s+/));
  const below = (pid: string): string[] => rows.filter(([, parent]) => parent === pid).flatMap(([child = '']) => [child, ...below(child)]);
  return below(String(process.pid));
}

/** How many rows each table has that says what is there; what is kept of the past may grow. */
async function counts(data_dir: string, url: string): Promise<Record<string, number>> {
  const data = await openData({ url, data_dir, clock: systemClock, log: silentLog });
  const db = data.facade('kernel');
  const found: Record<string, number> = {};
  for (const table of ['kernel_extensions', 'kernel_listeners', 'kernel_blobs', 'kernel_blob_holders', 'kernel_storage', 'kernel_settings']) {
    found[table] = Number((await db.rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n);
  }
  await data.close();
  return found;
}

t.test(`${cycles} installations and removals leave no process, folder or row, and little memory`, async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ownExtension('members')] });
  const zip = guestZip({
    permissions: { storage: true },
    files: [{ name: 'more.txt', content: 'x'.repeat(1_000) }],
    activate: `ctx.listen('guest.happened', async () => {}); await ctx.files();
      ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': () => ctx.storage.set('k', 1) });`,
  });
  const cycle = async () => {
    await world.install(zip);
    await world.ask('guest.greet');
    await world.uninstall('guest', { purge: true });
  };
  for (let n = 0; n < 10; n += 1) await cycle();
  const [before, processes] = [heap(), children()];
  for (let n = 10; n < cycles; n += 1) await cycle();
  t.ok(children().length <= processes.length, 'no process');
  t.same(await world.folders(), [], 'no folder');
  const grown = heap() - before;
  t.ok(grown < 15, `the heap has grown by ${grown.toFixed(1)} MB`);
  t.same(world.lines.filter(({ level }) => level === 'error' || level === 'warn'), []);
  await world.kernel.close();
  const { kernel_settings, kernel_blobs, ...none } = await counts(world.data_dir, world.database_url);
  t.same(none, { kernel_extensions: 0, kernel_listeners: 0, kernel_blob_holders: 0, kernel_storage: 0 });
  t.ok((kernel_settings ?? 0) < 10 && (kernel_blobs ?? 9) <= 1, `${kernel_settings} settings of the platform, ${kernel_blobs} blobs`);
});
