import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { callerOf } from '../../helpers/platform.js';
import { foldersOf } from '../../kernel/core/plugins/world.js';
import { ownIds } from './processes.js';
import { approved, left, onEach } from './world.js';

const cycles = 30;
const warm_up = 10;

/** Used heap in MB after garbage collection. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

t.test(`${cycles} installations and removals leave only what was published`, async (t) => {
  await onEach(t, async (t, { platform, admin, ada }) => {
    const activate = `ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': async () => { await ctx.storage.set('k', 1); return 'Hello'; } });`;
    await approved({ admin, ada }, { activate, permissions: { storage: true }, files: [{ name: 'more.txt', content: 'x'.repeat(1_000) }] });
    const [rows, started] = [await left(platform), ownIds()];
    const cycle = async () => {
      const { changed } = await admin.marketplace.install({ id: 'guest', accept_permissions: false });
      const { body } = await platform.kernel.invoke('guest.greet', {}, callerOf());
      const { released } = await admin.marketplace.uninstall({ id: 'guest', purge: true });
      return [changed, body, released.operations, released.process];
    };
    const right: unknown[] = [];
    for (let n = 0; n < warm_up; n += 1) right.push(await cycle());
    const before = heap();
    for (let n = warm_up; n < cycles; n += 1) right.push(await cycle());
    const grown = heap() - before;
    t.same(right, Array.from({ length: cycles }).fill([true, 'Hello', 1, 1]));
    t.ok(grown < 10, `the heap has grown by ${grown.toFixed(1)} MB`);
    t.same(await left(platform), rows);
    t.same(await foldersOf(platform.data_dir), []);
    await until(ownIds, (found) => found.every((each) => started.includes(each)));
    t.equal((await admin.marketplace.get({ id: 'guest', upstream: true })).downloads, cycles);
  });
});
