import t from 'tap';
import type { PluginDetail } from '../../../../kernel/contract/system.js';
import { ownExtension } from '../../../helpers/platform.js';
import { pluginZip } from './bundle.js';
import { admin, ann, extensions, startWorld } from './world.js';

const activate = `ctx.log.info('It begins');
  ctx.topic('guest.news', 'member');
  ctx.channel({ name: 'guest.loft', title: 'Loft', fields: [] }, async () => {});
  ctx.listen('guest.happened', async () => {});
  ctx.expose({ 'guest.run': op('run', { schedulable: true }), 'guest.look': op('look', { tool: true }) }, { 'guest.run': () => 1, 'guest.look': () => 2 });`;
const parts = {
  activate,
  channels: ['guest.loft'],
  topics: [{ name: 'guest.news', readers: 'member' as const }],
  readme: 'docs/ABOUT.md',
  files: [{ name: 'docs/ABOUT.md', content: '# About it' }],
  config: {
    type: 'object',
    properties: { greeting: { type: 'string', default: 'Hi' }, key: { type: 'string', writeOnly: true } },
  } as never,
  permissions: { storage: true },
};

t.test('the record of a plugin has all its contributions and no secrets', async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ownExtension('members')] });
  await world.install(pluginZip(parts));
  await world.kernel.invoke('plugins.configure', { name: 'guest', config: { greeting: 'Hello', key: 'sesame' } }, admin);
  const record = await world.record('guest');
  t.match(record, {
    name: 'guest',
    title: 'Guest',
    version: '1.0.0',
    type: 'plugin',
    description: 'Stays for the time of a test.',
    author: 'tests',
    builtin: false,
    state: 'active',
    error: null,
    permissions: { storage: true },
    contributes: {
      operations: ['guest.run', 'guest.look'],
      actions: ['guest.run'],
      tools: ['guest.look'],
      topics: ['guest.news'],
      channels: ['guest.loft'],
      subscriptions: 1,
    },
    restarts: Number,
    memory_mb: Number,
    loaded_at: /^\d{4}-/,
    uptime_s: Number,
    trusted: true,
    instances: [{ version: '1.0.0', state: 'active', error: null }],
    readme: '# About it',
    config: { greeting: 'Hello', key: '[redacted]' },
  });
  t.ok(record.walls.includes('permissions'));
  t.ok(record.log.some(({ message }) => message === 'It begins'));
  t.notOk(JSON.stringify(record).includes('sesame'));
  const { body } = await world.kernel.invoke('plugins.get', { name: 'guest' }, ann);
  t.match(body as PluginDetail, { config: {}, log: [], readme: '# About it' }, 'settings and log are for administrators');
  t.match(await world.record('hello'), { builtin: true, trusted: true, walls: [] });
});

t.test('the record distinguishes trusted from untrusted plugins, and undeclared topics are rejected', async (t) => {
  const world = await startWorld(t);
  const stranger = pluginZip({ id: 'stranger', activate: `ctx.topic('stranger.news', 'admin');` });
  await t.rejects(world.install(stranger), {
    code: 'extension_failed',
    message: /other topics than its manifest lists: stranger.news|may not run/,
  });
  await t.rejects(world.install(pluginZip({ ...parts, topics: [{ name: 'guest.news', readers: 'admin' }] })), { message: /other topics/ });
  await t.rejects(world.install(pluginZip({ ...parts, topics: [] })), { message: /other topics/ });
  await world.install(pluginZip(parts));
  t.equal((await world.record('guest')).trusted, true);
  const elsewhere = await startWorld(t, { settings: { 'plugins.trusted': ['guest'] } });
  await elsewhere.install(pluginZip({ id: 'guest' }));
  const untrusted = await elsewhere.install(pluginZip({ id: 'stranger' })).then(
    () => elsewhere.record('stranger'),
    () => undefined,
  );
  // Where walls are refused it isn't there at all.
  if (untrusted) t.equal(untrusted.trusted, false);
  t.equal((await elsewhere.record('guest')).trusted, true);
});
