import t from 'tap';
import type { AuditRecord } from '../../../kernel/contract/system.js';
import { ownExtension } from '../../helpers/platform.js';
import { pluginZip } from '../../kernel/core/plugins/bundle.js';
import { admin, extensions, startWorld } from '../../kernel/core/plugins/world.js';
import { failureOf } from '../../kernel/platform/sandbox/world.js';

const listed = `ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': () => 'hi' });`;
const channel = `ctx.channel({ name: 'guest.pigeon', title: 'Pigeon', fields: [] }, async () => {});`;
const topic = `ctx.topic('guest.news', 'member');`;

t.test('a plugin registers only what its manifest lists, even if it lists nothing', async (t) => {
  const { install } = await startWorld(t);
  const table: [string, Parameters<typeof pluginZip>[0], RegExp][] = [
    ['a channel, no contributes', { activate: channel, contributes: undefined as never }, /other channels.*guest\.pigeon/],
    ['a topic, no contributes', { activate: topic, contributes: undefined as never }, /other topics.*guest\.news/],
    ['an operation, no contributes', { activate: listed, contributes: undefined as never }, /other operations.*guest\.greet/],
    ['a channel that is not listed', { activate: channel }, /other channels/],
    ['a channel that is listed and missing', { channels: ['guest.pigeon'] }, /other channels/],
    ['other readers than listed', { activate: topic, topics: [{ name: 'guest.news', readers: 'admin' }] }, /other topics/],
  ];
  for (const [what, parts, message] of table) await t.rejects(install(pluginZip(parts)), { code: 'extension_failed', message }, what);
  await install(
    pluginZip({ activate: channel + topic + listed, channels: ['guest.pigeon'], topics: [{ name: 'guest.news', readers: 'member' }] }),
  );
});

t.test("a plugin's log fields are nested, and rejected calls count as lines", async (t) => {
  const { install, ask, lines } = await startWorld(t);
  const activate = `ctx.expose({ 'guest.log': op('log'), 'guest.try': op('try') }, {
    'guest.log': () => ctx.log.warn('mine', { time: 'then', level: 'error', msg: 'forged', extension: 'members', request_id: 'other' }),
    'guest.try': async () => { for (let n = 0; n < 2000; n += 1) await ctx.env('SECRET').catch(() => undefined); return 'tried'; },
  });`;
  await install(pluginZip({ activate }));
  await ask('guest.log');
  const [line] = lines.filter(({ msg }) => msg === 'mine');
  t.match(line, { level: 'warn', extension: 'guest', fields: { time: 'then', level: 'error', msg: 'forged', extension: 'members' } });
  t.not(line?.time, 'then');
  t.same(
    lines.filter(({ msg, extension }) => msg === 'forged' || extension === 'members'),
    [],
  );
  t.equal(await ask('guest.try'), 'tried');
  const refusals = lines.filter(({ msg }) => String(msg).includes('environment variable'));
  t.ok(refusals.length > 0 && refusals.length < 2_000, `${refusals.length} of 2,000 rejections left a line`);
});

t.test('the audit trail names the plugin that acts for a member, and its request', async (t) => {
  const { install, kernel } = await startWorld(t, { extensions: [...extensions, ownExtension('members')] });
  const activate = `ctx.expose({ 'guest.add': op('add', { who: 'admin', audited: true }) }, {
    'guest.add': async ({ username }) => { await ctx.call('members.create', { username, password: 'correct horse battery' }); return 'added'; },
  });`;
  await install(pluginZip({ activate, permissions: { operations: ['members.create', 'members.delete'] } }));
  await kernel.invoke('guest.add', { username: 'joe' }, admin, { request_id: 'the-request' });
  await kernel.invoke('guest.add', { username: 'joe' }, { ...admin, role: 'member' }, { request_id: 'a-refusal' }).catch(failureOf);
  const rows = (await kernel.invoke('audit.list', {}, admin)).body as AuditRecord[];
  const of = (operation: string) =>
    rows.filter((row) => row.operation === operation).map(({ via, door, request_id, username }) => ({ via, door, request_id, username }));
  t.match(of('members.create'), [{ via: 'guest', door: 'plugin', request_id: 'the-request', username: 'admin' }]);
  t.match(
    of('guest.add').find(({ request_id }) => request_id === 'the-request'),
    { via: '', door: 'direct' },
  );
});
