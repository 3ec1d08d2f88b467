import t from 'tap';
import { freshPostgres } from '../../../helpers/databases.js';
import { skipWithout } from '../../../helpers/parts.js';
import { pluginZip } from './bundle.js';
import { admin, startWorld, type World } from './world.js';

const config = { type: 'object', properties: { api_key: { type: 'string', writeOnly: true } } };
const zip = pluginZip({
  config: config as never,
  activate: `ctx.expose({ 'guest.config': op('config') }, { 'guest.config': () => ctx.config });`,
});

const change = (world: World, operation: string, input: object) => world.kernel.invoke(`plugins.${operation}`, input, admin);

/** Work that an instance does every few seconds. */
async function look({ kernel: { installer } }: World): Promise<string[]> {
  const ids = await installer.differing();
  for (const id of ids) await installer.converge({ id });
  return ids;
}

t.test(
  'an instance without announcements finds disabled and enabled extensions and new settings',
  { skip: skipWithout('postgres') },
  async (t) => {
    // Joined by nothing but the database.
    const settings = { database_url: await freshPostgres(), secret_key: 'a master key for tests, 32 chars' };
    const [one, two] = [await startWorld(t, { settings }), await startWorld(t, { settings })];
    t.same(await look(two), []);

    await change(one, 'disable', { name: 'hello' });
    t.same(await look(two), ['hello']);
    t.equal(two.kernel.host.running.has('hello'), false);
    t.same(await look(two), []);
    await change(one, 'enable', { name: 'hello' });
    t.same(await look(two), ['hello']);
    t.equal(two.kernel.host.running.has('hello'), true);

    await one.install(zip);
    t.same(await look(two), ['guest']);
    for (const api_key of ['leaked', 'fresh', 'fresh']) {
      await change(one, 'configure', { name: 'guest', config: { api_key } });
      t.same(await look(two), ['guest']);
      t.same(await two.ask('guest.config'), { api_key });
      t.same([await look(one), await look(two)], [[], []]);
    }
    await change(one, 'disable', { name: 'guest' });
    await look(two);
    await change(one, 'configure', { name: 'guest', config: { api_key: 'later' } });
    t.same([await look(one), await look(two)], [[], []], 'a disabled extension contributes nothing on either instance');
    await change(one, 'enable', { name: 'guest' });
    t.same(await look(two), ['guest']);
    t.same(await two.ask('guest.config'), { api_key: 'later' });

    await one.uninstall('guest');
    for (const operation of ['disable', 'enable'])
      await t.rejects(change(two, operation, { name: 'guest' }), { code: 'plugin_not_found' }, `${operation}: the extension is gone`);
    t.same(await look(two), ['guest']);
    await t.rejects(two.record('guest'), { code: 'plugin_not_found' });
    t.match(await one.install(zip), { changed: true }, 'its name is free again');
  },
);

t.test('on SQLite the settings never differ', async (t) => {
  const world = await startWorld(t);
  await world.install(zip);
  await change(world, 'configure', { name: 'guest', config: { api_key: 'sesame' } });
  await change(world, 'disable', { name: 'hello' });
  t.same(await look(world), []);
  t.same(await world.ask('guest.config'), { api_key: 'sesame' });
});
