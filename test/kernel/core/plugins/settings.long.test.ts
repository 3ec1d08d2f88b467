import t from 'tap';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { silentLog, systemClock } from '../../../helpers/databases.js';
import type { TestPlatform } from '../../../helpers/platform.js';
import { failureOf } from '../../platform/sandbox/world.js';
import { pluginZip } from './bundle.js';
import { admin, extensions, startWorld, trusting, type World, worldOf } from './world.js';

const config = {
  type: 'object',
  properties: {
    greeting: { type: 'string', maxLength: 20, default: 'Hi', pattern: '^[A-Z]' },
    count: { type: 'integer', minimum: 1 },
    api_key: { type: 'string', writeOnly: true, minLength: 4 },
    phrase: { type: 'string', format: 'password' },
  },
};
const activate = `if (ctx.config.greeting === 'Boom') throw new Error('will not');
  ctx.expose({ 'guest.config': op('config') }, { 'guest.config': () => ctx.config });`;
const zip = pluginZip({ config: config as never, activate });

/** Reads the database after the platform has ended. */
async function stored({ data_dir, database_url: url }: TestPlatform) {
  const data = await openData({ url, data_dir, clock: systemClock, log: silentLog });
  const db = data.facade('kernel');
  const audit = await db.rows<object>("SELECT operation, input FROM kernel_audit WHERE operation LIKE 'plugins.%' ORDER BY id");
  const kept = await db.rows<object>("SELECT key, value FROM kernel_settings WHERE key LIKE 'plugin_config%'");
  await data.close();
  return { audit, kept };
}

const settings = async ({ kernel }: World, name = 'guest') => (await kernel.invoke('plugins.settings', { name }, admin)).body as object;
const configure = ({ kernel }: World, given: object, name = 'guest') =>
  kernel.invoke('plugins.configure', { name, config: given }, admin).then(({ body }) => body, failureOf);

t.test('settings are validated, stored and applied to the restarted plugin, and secrets are sealed', async (t) => {
  await eachPlatform(t, { extensions, strict: true, settings: trusting }, async (t, platform) => {
    const world = worldOf(platform);
    await world.install(zip);
    t.same(await settings(world), { name: 'guest', schema: config, config: {}, secrets: [] });
    t.same(await world.ask('guest.config'), { greeting: 'Hi' }, 'defaults');
    const given = { greeting: 'Hello', count: 2, api_key: 'sesame-1', phrase: 'a phrase' };
    t.match(await configure(world, given), { config: { greeting: 'Hello', count: 2 }, secrets: ['api_key', 'phrase'] });
    t.same(await world.ask('guest.config'), given, 'the plugin was restarted with them');
    t.match((await world.record('guest')).config, { greeting: 'Hello', count: 2, api_key: '[redacted]', phrase: '[redacted]' });
    await configure(world, { greeting: 'Hola', phrase: null });
    t.same(
      await world.ask('guest.config'),
      { greeting: 'Hola', api_key: 'sesame-1' },
      'an omitted secret stays, other omitted settings do not',
    );
    t.notOk(/sesame|a phrase/.test(JSON.stringify([await settings(world), world.lines])), 'no secret is shown or logged');
    await world.kernel.close();
    const { audit, kept } = await stored(platform);
    t.notOk(/sesame|a phrase/.test(JSON.stringify([audit, kept])), 'no secret is in the database');
    t.match(audit, [{ operation: 'plugins.configure', input: /"config":"\[redacted\]"/ }, {}], 'the change is audited');
    t.equal(kept.length, 1);
  });
});

t.test('invalid settings are rejected with all faults and without secrets', async (t) => {
  const world = await startWorld(t);
  await world.install(zip);
  await configure(world, { greeting: 'Hello', api_key: 'sesame-1' });
  const refused = await configure(world, { greeting: 'lower', count: 0, api_key: 'abc', more: 1 });
  t.match(refused, {
    code: 'invalid_input',
    details: [{ path: 'config.greeting' }, { path: 'config.count' }, { path: 'config.api_key' }, { path: 'config.more' }],
  });
  t.notOk(JSON.stringify(refused).includes('abc'));
  t.match(await configure(world, { greeting: 'Boom' }), { code: 'extension_failed', message: /will not/ });
  t.same(await world.ask('guest.config'), { greeting: 'Hello', api_key: 'sesame-1' }, 'the old settings stay');
  t.match(await settings(world), { config: { greeting: 'Hello' } });
  await world.install(pluginZip({ id: 'plain' }));
  t.match(await configure(world, {}, 'plain'), { code: 'plugin_without_config', status: 409 });
  t.match(await configure(world, {}, 'hello'), { code: 'plugin_without_config' });
  t.match(await configure(world, {}, 'nobody'), { code: 'plugin_not_found' });
});

t.test('settings survive updates and restarts and are deleted by a purge', async (t) => {
  const world = await startWorld(t);
  await world.install(zip);
  await configure(world, { greeting: 'Hello', count: 3, api_key: 'sesame-1' });
  const narrower = { type: 'object', properties: { greeting: { type: 'string' }, count: { type: 'integer', maximum: 2, default: 1 } } };
  await world.install(pluginZip({ version: '2.0.0', config: narrower as never, activate }));
  t.same(await world.ask('guest.config'), { greeting: 'Hello', count: 1 }, 'a setting that is no longer valid returns to its default');
  await world.install(zip);
  t.same(await world.ask('guest.config'), { greeting: 'Hello', count: 3, api_key: 'sesame-1' });
  await world.kernel.invoke('plugins.disable', { name: 'guest' }, admin);
  await configure(world, { greeting: 'Later' });
  await world.kernel.invoke('plugins.enable', { name: 'guest' }, admin);
  t.same(await world.ask('guest.config'), { greeting: 'Later', api_key: 'sesame-1' }, 'the settings were changed while it was disabled');
  await world.uninstall('guest');
  await world.install(zip);
  t.match(await world.ask('guest.config'), { greeting: 'Later' });
  await world.kernel.close();
  const again = await startWorld(t, { settings: { data_dir: world.data_dir } });
  t.match(await again.ask('guest.config'), { greeting: 'Later', api_key: 'sesame-1' });
  await again.uninstall('guest', { purge: true });
  await again.install(zip);
  t.same(await again.ask('guest.config'), { greeting: 'Hi' });
});
