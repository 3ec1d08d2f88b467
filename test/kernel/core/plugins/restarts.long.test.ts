import { readdirSync, readFileSync, rmSync } from 'node:fs';
import t, { type Test } from 'tap';
import { Restarts } from '../../../../kernel/core/plugins/restarts.js';
import { processSlot } from '../../../../kernel/platform/sandbox/slot.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { checkOf } from '../../platform/checks/world.js';
import { pluginZip } from './bundle.js';
import { admin, extensions, startWorld, type World } from './world.js';

/** Time that passes when the test says so. */
function movable() {
  let now = 1_000_000;
  const waiting: { at: number; work: () => void }[] = [];
  return {
    clock: { now: () => now },
    /** Longest waits are at the highest: no jitter in the middle. */
    timers: {
      random: () => 0.5,
      after(ms: number, work: () => void) {
        const entry = { at: now + ms, work };
        waiting.push(entry);
        return () => void waiting.splice(waiting.indexOf(entry), 1);
      },
    },
    /** In how many ms the next one is due. */
    due: () => waiting.map(({ at }) => at - now),
    pass(ms: number) {
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      for (const entry of due) {
        waiting.splice(waiting.indexOf(entry), 1);
        entry.work();
      }
    },
  };
}

const mortal = `ctx.expose({ 'guest.greet': op('greet', { who: 'public' }), 'guest.die': op('die') }, { 'guest.greet': () => 'here', 'guest.die': () => process.exit(7) });`;

async function start(t: Test, activate = mortal): Promise<World & ReturnType<typeof movable>> {
  const time = movable();
  const world = await startWorld(t, { clock: { now: () => Date.now() }, timers: time.timers });
  await world.install(pluginZip({ activate, permissions: { public_routes: true } }));
  return { ...world, ...time };
}

const state = async (world: World) => (await world.record('guest')).state;

t.test('a plugin whose process dies is restarted after 1 s, 5 s and 25 s, and then fails', async (t) => {
  const world = await start(t);
  for (const [losses, wait_ms] of [1_000, 5_000, 25_000].entries()) {
    t.match(await world.ask('guest.die'), { code: 'extension_unavailable', status: 503 });
    await becomes(t, () => state(world), 'restarting');
    await becomes(t, () => world.due(), [wait_ms]);
    const response = await fetch(`${world.url}/api/x/guest/greet`, { method: 'POST' });
    t.equal(response.status, 503, 'its routes still exist');
    t.equal(response.headers.get('retry-after'), String(wait_ms / 1_000));
    t.match(await world.ask('guest.greet'), { code: 'extension_unavailable', status: 503, retry_after: Number });
    t.match(await world.record('guest'), { error: /exit code 7/, memory_mb: null, restarts: losses });
    world.pass(wait_ms - 1);
    t.equal(await state(world), 'restarting', 'the restart is not early');
    world.pass(1);
    await becomes(t, () => world.ask('guest.greet'), 'here');
    t.match(await world.record('guest'), { state: 'active', error: null, restarts: losses + 1 });
  }
  await world.ask('guest.die');
  await becomes(t, () => state(world), 'failed');
  t.same(world.due(), [], 'there is no further attempt');
  t.match(await world.record('guest'), { error: /has failed 4 times; .* exit code 7/, loaded_at: null });
  const { log } = await world.record('guest');
  t.ok(
    log.some(({ message }) => /has lost its process/.test(message)),
    'its log lines are kept',
  );
  const since = log.findLast(({ level }) => level === 'error')?.at;
  t.match(await checkOf(world, 'extension_failed'), { extension: 'guest', ok: false, message: /has failed 4 times/, since });
  t.match(await world.ask('guest.greet'), { code: 'operation_not_found' });
  t.equal((await fetch(`${world.url}/api/x/guest/greet`, { method: 'POST' })).status, 503);

  await world.kernel.invoke('plugins.enable', { name: 'guest' }, admin);
  t.equal(await world.ask('guest.greet'), 'here');
  t.equal(await checkOf(world, 'extension_failed'), undefined);
  await world.ask('guest.die');
  await becomes(t, () => world.due(), [1_000]);
  await world.kernel.invoke('plugins.reload', { name: 'guest' }, admin);
  t.equal(await world.ask('guest.greet'), 'here', 'a reload does not wait for the next attempt');
  t.same(world.due(), []);
});

t.test('a plugin removed or disabled before a planned restart stays so', async (t) => {
  const world = await start(t);
  await world.ask('guest.die');
  await becomes(t, () => world.due(), [1_000]);
  await world.uninstall('guest');
  world.pass(1_000);
  t.match(await world.ask('guest.greet'), { code: 'operation_not_found' });
  await world.install(pluginZip({ activate: mortal, permissions: { public_routes: true } }));
  await world.ask('guest.die');
  await becomes(t, () => world.due(), [1_000]);
  await world.kernel.invoke('plugins.disable', { name: 'guest' }, admin);
  world.pass(60_000);
  await world.kernel.host.settled();
  t.equal(await state(world), 'disabled');
});

t.test('a failed restart counts as another loss', async (t) => {
  const world = await start(
    t,
    `${mortal} const fs = require('node:fs'); const mark = await ctx.files() + '/begun';
    if (fs.existsSync(mark)) throw new Error('not twice'); fs.writeFileSync(mark, '');`,
  );
  await world.ask('guest.die');
  for (const wait_ms of [1_000, 5_000, 25_000]) {
    await becomes(t, () => world.due(), [wait_ms]);
    world.pass(wait_ms);
  }
  await becomes(t, () => state(world), 'failed');
  t.match(await world.record('guest'), { error: /not twice/ });
});

t.test("a failed automatic start is retried: after its dependency returns, and at the platform's start", async (t) => {
  const time = movable();
  const again = { clock: { now: () => Date.now() }, timers: time.timers, extensions };
  const activate = `const fs = require('node:fs'); let mark;
    ctx.expose({ 'guest.jam': op('jam') }, { 'guest.jam': () => { fs.writeFileSync(mark, ''); return mark; } });
    mark = await ctx.files() + '/busy'; if (fs.existsSync(mark)) throw new Error('too busy');`;
  const world = await startWorld(t, again);
  await world.install(pluginZip({ activate, dependencies: { hello: '*' } }));
  const mark = (await world.ask('guest.jam')) as string;
  await world.kernel.invoke('plugins.disable', { name: 'hello' }, admin);
  await world.kernel.invoke('plugins.enable', { name: 'hello' }, admin);
  t.match(await world.record('guest'), { state: 'failed', error: /too busy/ });
  t.same(time.due(), [1_000]);
  time.pass(1_000);
  await becomes(t, () => time.due(), [5_000]);
  rmSync(mark);
  time.pass(5_000);
  await becomes(t, () => state(world), 'active');
  t.match(await world.record('guest'), { error: null });

  await world.ask('guest.jam');
  await world.kernel.close();
  const restarted = await startWorld(t, { ...again, settings: { data_dir: world.data_dir } });
  for (const wait_ms of [1_000, 5_000, 25_000]) {
    await becomes(t, () => time.due(), [wait_ms]);
    t.equal(await state(restarted), 'failed');
    time.pass(wait_ms);
  }
  await until(
    () => time.due(),
    (due) => due.length === 0,
  );
  await restarted.kernel.host.settled();
  t.match(await restarted.record('guest'), { state: 'failed', error: /too busy/ });
  rmSync(mark);
  await restarted.kernel.invoke('plugins.enable', { name: 'guest' }, admin);
  t.equal(await state(restarted), 'active');
});

t.test('no process is left after a plugin is removed', async (t) => {
  const world = await start(t);
  const [process] = (world.kernel.host.running.get('guest')?.draft.slots.get(processSlot) ?? []) as { pid: number }[];
  const { pid } = process ?? { pid: 0 };
  t.ok(readFileSync(`/proc/${pid}/cmdline`, 'utf8').length > 0);
  await world.uninstall('guest');
  t.notOk(readdirSync('/proc').includes(String(pid)));
});

t.test('administrators are notified once after the last restart', async (t) => {
  const listener = pluginZip({
    id: 'told',
    permissions: { events: ['plugins.failed'] },
    activate: `const heard = []; ctx.listen('plugins.failed', async ({ payload }) => { heard.push(payload); });
      ctx.expose({ 'told.heard': op('heard') }, { 'told.heard': () => heard });`,
  });
  const world = await start(t);
  await world.install(listener);
  for (const wait_ms of [1_000, 5_000, 25_000]) {
    await world.ask('guest.die');
    await becomes(t, () => world.due(), [wait_ms]);
    world.pass(wait_ms);
    await becomes(t, () => world.ask('guest.greet'), 'here');
  }
  t.same(await world.ask('told.heard'), []);
  await world.ask('guest.die');
  const heard = await until(
    () => world.ask('told.heard') as Promise<unknown[]>,
    ({ length }) => length > 0,
  );
  t.match(heard, [{ name: 'guest', message: /has failed 4 times; .* exit code 7/ }]);
  t.equal(heard.length, 1);
});

t.test('the count of losses is reset after ten minutes, and the waits vary', async (t) => {
  const time = movable();
  const calls: string[] = [];
  const host = {
    markRestarting: async () => true,
    restart: async (id: string) => void calls.push(`restart ${id}`),
    retry: async () => undefined,
    giveUp: async (id: string) => void calls.push(`give up ${id}`),
  };
  const log = { warn: () => undefined, error: () => undefined };
  let random = 0;
  const restarts = new Restarts({ host, clock: time.clock, log, ...time.timers, random: () => random });
  const { signal } = new AbortController();
  const lose = async () => {
    restarts.lost({ id: 'guest', signal, reason: 'it ended' });
    await until(
      () => time.due().length + calls.filter((call) => call === 'give up guest').length,
      (count) => count > 0,
    );
  };
  await lose();
  t.same(time.due(), [800]);
  t.equal(restarts.retryAfter('guest'), 1);
  time.pass(800);
  t.equal(restarts.retryAfter('guest'), undefined);
  random = 1;
  await lose();
  t.same(time.due(), [6_000]);
  t.equal(restarts.retryAfter('guest'), 6);
  time.pass(6_000);
  time.pass(600_000);
  await lose();
  t.same(time.due(), [1_200], 'the first wait applies again');
  restarts.close();
  t.same(time.due(), []);
  restarts.lost({ id: 'guest', signal, reason: 'it ended' });
  t.same(time.due(), []);
  t.same(calls, ['restart guest', 'restart guest']);
});
