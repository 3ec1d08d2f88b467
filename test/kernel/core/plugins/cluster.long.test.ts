import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { startCluster } from '../../../helpers/cluster.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { hashOf, pluginZip } from './bundle.js';
import { admin, extensions, trusting, worldOf } from './world.js';

const greeting = (text: string) => `ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': () => '${text}' });`;
const folderOf = (zip: Buffer) => `guest/${hashOf(zip).slice(7, 15)}`;

/** The other does what the one has just done, and has a second beside. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = Date.now();
  await work();
  return Date.now() - start + 1_000;
}

t.test('changes on one instance reach the other within a second', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const [a, b] = (await startCluster(t, 2, { extensions, strict: false, settings: trusting })).map(worldOf);
  if (!a || !b) throw new Error('Two instances were started');
  const [first, second] = [pluginZip({ activate: greeting('one') }), pluginZip({ version: '2.0.0', activate: greeting('two') })];

  let within_ms = await timed(() => a.install(first));
  await becomes(t, () => b.ask('guest.greet'), 'one', within_ms);
  t.same(await b.folders(), [folderOf(first)], 'the bundle was fetched and unpacked on the other instance');
  const both = async () => (await a.record('guest')).instances.map(({ instance, version, state }) => ({ instance, version, state }));
  const running = (version: string) => [a, b].map(({ kernel: { instance } }) => ({ instance, version, state: 'active' }));
  await becomes(t, both, running('1.0.0'), within_ms);

  within_ms = await timed(() => b.install(second));
  await becomes(t, () => a.ask('guest.greet'), 'two', within_ms);
  await becomes(t, both, running('2.0.0'), within_ms);
  await becomes(t, () => a.folders(), [folderOf(second)], within_ms);

  await a.kernel.invoke('plugins.disable', { name: 'guest' }, admin);
  await until(
    () => b.ask('guest.greet'),
    (answer) => (answer as { code?: string }).code === 'operation_not_found',
    within_ms,
  );
  within_ms = await timed(() => a.kernel.invoke('plugins.enable', { name: 'guest' }, admin));
  await becomes(t, () => b.ask('guest.greet'), 'two', within_ms);

  within_ms = await timed(() => b.uninstall('guest', { purge: true }));
  await until(
    () => a.ask('guest.greet'),
    (answer) => (answer as { code?: string }).code === 'operation_not_found',
    within_ms,
  );
  await becomes(t, () => a.folders(), [], within_ms);
  t.same([await a.installed(), await b.installed()], [[], []]);
  t.equal((await fetch(`${a.url}/api/x/guest/greet`, { method: 'POST' })).status, 404);
});

t.test(
  'an extension removed on both instances at once is gone without further errors',
  { skip: skipWithout('postgres', 'redis') },
  async (t) => {
    const [a, b] = (await startCluster(t, 2, { extensions, strict: false, settings: trusting })).map(worldOf);
    if (!a || !b) throw new Error('Two instances were started');
    const slow = pluginZip({
      activate: `${greeting('one')} exports.default.deactivate = () => new Promise((resolve) => setTimeout(resolve, 1_000));`,
    });
    const within_ms = await timed(() => a.install(slow));
    await becomes(t, () => b.ask('guest.greet'), 'one', within_ms);
    const removals = [a, b].map((world) => world.uninstall('guest', { purge: true }).catch((fault: { code: string }) => fault.code));
    const outcomes = await Promise.all(removals);
    t.ok(outcomes.some((outcome) => typeof outcome === 'object'));
    for (const outcome of outcomes)
      t.ok(typeof outcome === 'object' || outcome === 'plugin_not_found', typeof outcome === 'string' ? outcome : 'removed');
    // Their reports about each other come last.
    await setTimeout(1_000);
    for (const { lines } of [a, b]) {
      const errors = lines.filter(({ level }) => level === 'error');
      t.same(errors, []);
    }
  },
);

t.test('an instance that cannot follow keeps the old version and reports why', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const [a, b] = (await startCluster(t, 2, { extensions, strict: false, settings: trusting })).map(worldOf);
  if (!a || !b) throw new Error('Two instances were started');
  // Each instance has files of its own: here one is in the way of the second version.
  const picky = `const fs = require('node:fs'); if (fs.existsSync(await ctx.files() + '/stay')) throw new Error('stays as it was');`;
  const leaving = `ctx.expose({ 'guest.leave': op('leave') }, { 'guest.leave': async () => require('node:fs').writeFileSync(await ctx.files() + '/stay', '') });`;
  let within_ms = await timed(() => a.install(pluginZip({ activate: leaving })));
  await until(
    () => b.ask('guest.leave'),
    (answer) => answer === undefined,
    within_ms,
  );
  const second = pluginZip({ version: '2.0.0', activate: `${greeting('two')} ${picky}` });
  within_ms = await timed(() => a.install(second));
  t.equal(await a.ask('guest.greet'), 'two');
  const there = async () => (await a.record('guest')).instances.find(({ instance }) => instance === b.kernel.instance);
  await until(there, (standing) => /stays as it was/.test(standing?.error ?? ''), within_ms);
  t.match(await there(), { version: '1.0.0', state: 'active' });
  t.equal(await b.ask('guest.leave'), undefined, 'the old version still serves');

  await b.kernel.close();
  await until(
    async () => (await a.record('guest')).instances.length,
    (count) => count === 1,
    within_ms,
  );
  t.pass('an ended instance is not listed');
});
