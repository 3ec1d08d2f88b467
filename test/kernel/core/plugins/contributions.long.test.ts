import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import { adminPassword, callerOf, ownExtension, temporaryFolder } from '../../../helpers/platform.js';
import { failureOf } from '../../platform/sandbox/world.js';
import { pluginZip } from './bundle.js';
import { admin, ann, extensions, startWorld } from './world.js';

const own = ['members', 'notifications', 'schedules', 'chat'].map(ownExtension);

t.test('tools and actions of a plugin are registered and removed with it', async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ...own] });
  const { kernel } = world;
  const activate = `const ran = [];
    ctx.expose({ 'guest.run': op('run', { schedulable: true }), 'guest.ran': op('ran'),
      'guest.look': op('look', { tool: true, method: 'GET', input: (j) => j.object({ name: j.string() }) }) }, {
      'guest.run': ({ what }, { caller }) => { ran.push([what, caller.username, caller.door]); return { what }; },
      'guest.ran': () => ran,
      'guest.look': ({ name }) => ctx.call('plugins.disable', { name }) });`;
  await world.install(pluginZip({ activate, permissions: { operations: ['plugins.disable'] } }));
  t.match((await world.record('guest')).contributes, { tools: ['guest.look'], actions: ['guest.run'] });
  const usual = { name: 'Run it', trigger_type: 'cron', trigger_value: '0 9 * * 1-5', timezone: 'Europe/Berlin' };
  const create = (params: object) => kernel.invoke('schedules.create', { ...usual, action: 'guest.run', params }, admin);
  const { id } = (await create({ what: 'this' })).body as { id: number };
  await kernel.invoke('schedules.run', { id }, admin);
  t.same(
    await until(
      () => world.ask('guest.ran') as Promise<unknown[]>,
      ({ length }) => length > 0,
    ),
    [['this', 'admin', 'schedule']],
  );

  const model = callerOf({ door: 'tool' });
  const refused = await kernel.invoke('guest.look', { name: 'hello' }, model).catch(failureOf);
  t.match(refused, { code: 'tool_needs_person', status: 403 }, 'a dangerous operation is rejected in a tool call, for administrators too');
  t.ok(kernel.host.running.has('hello'));
  t.match(await world.ask('guest.look', { name: 'hello' }), { code: 'forbidden' }, 'nobody gets more permissions than their own');

  await world.uninstall('guest');
  t.match(await create({ what: 'that' }).catch(failureOf), { status: 400 }, 'no schedule can be created for it any more');
});

t.test('uploads reach a plugin as a file, and streams leave it as produced', async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ...own] });
  const activate = `const fs = require('node:fs');
    ctx.expose({
      'guest.weigh': op('weigh', { kind: 'upload', input: (j) => j.object({ file: j.object().unknown().required(), note: j.string() }) }),
      'guest.count': { ...stream('count'), input: (j) => j.object({ to: j.number().integer().required() }) },
    }, {
      'guest.weigh': ({ file, note }) => ({ note, name: file.filename, text: fs.readFileSync(file.path, 'utf8') }),
      'guest.count': async function* ({ to }) { for (let n = 1; n <= to; n += 1) yield { id: String(n), type: 'tick', data: { n } }; },
    });`;
  await world.install(pluginZip({ activate }));
  const { body } = await world.kernel.invoke('auth.login', { username: 'admin', password: adminPassword }, callerOf({ member_id: 0 }));
  const headers = { authorization: `Bearer ${(body as { access_token: string }).access_token}` };
  const form = new FormData();
  form.set('note', 'heavy');
  form.set('file', new Blob(['the content']), 'a.txt');
  const weighed = await fetch(`${world.url}/api/x/guest/weigh`, { method: 'POST', headers, body: form });
  t.same([weighed.status, await weighed.json()], [200, { note: 'heavy', name: 'a.txt', text: 'the content' }]);
  t.equal((await fetch(`${world.url}/api/x/guest/weigh`, { method: 'POST', body: form })).status, 401);
  const counted = await (await fetch(`${world.url}/api/x/guest/count?to=3`, { headers })).text();
  t.same(counted.match(/"n":\d/g), ['"n":1', '"n":2', '"n":3']);
});

t.test('a channel of a plugin delivers notifications, and its failures are reported', async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ...own] });
  const { kernel } = world;
  const activate = `const { failures } = require('platform/contract'); const fail = failures({ loft_closed: 409, loft_busy: 503 });
    const flown = [];
    ctx.channel({ name: 'guest.loft', title: 'Loft', fields: [
      { name: 'perch', label: 'Perch', required: true }, { name: 'ring', label: 'Ring', secret: true } ] }, async ({ settings, note }) => {
      if (settings.perch === 'closed') throw fail('loft_closed', 'The loft is closed');
      if (settings.perch === 'odd') throw new TypeError('a secret detail');
      flown.push([settings, note.title]);
    });
    ctx.expose({ 'guest.flown': op('flown') }, { 'guest.flown': () => flown });`;
  await t.rejects(world.install(pluginZip({ activate })), {
    code: 'extension_failed',
    message: /other channels than its manifest lists: guest.loft/,
  });
  await world.install(pluginZip({ activate, channels: ['guest.loft'] }));
  const channels = (await kernel.invoke('notifications.channels', {}, admin)).body as { name: string }[];
  t.match(
    channels.find(({ name }) => name === 'guest.loft'),
    {
      title: 'Loft',
      fields: [
        { name: 'perch', secret: false, required: true, description: '' },
        { name: 'ring', secret: true },
      ],
    },
  );
  const choose = (settings: object) =>
    kernel.invoke('notifications.set_preferences', { channels: { 'guest.loft': { enabled: true, settings } } }, admin);
  const test = async () => (await kernel.invoke('notifications.test_channel', { channel: 'guest.loft' }, admin)).body;
  await choose({ perch: 'high', ring: 'gold' });
  t.match(await test(), { accepted: true, error: null });
  t.match(await world.ask('guest.flown'), [[{ perch: 'high', ring: 'gold' }, String]]);
  await choose({ perch: 'closed' });
  t.match(await test(), { accepted: false, error: 'The loft is closed' });
  await choose({ perch: 'odd' });
  const odd = await test();
  t.match(odd, { accepted: false, error: /Loft failed/ });
  t.notOk(JSON.stringify(odd).includes('secret detail'));
  const foreign = pluginZip({
    id: 'other',
    activate: `ctx.channel({ name: 'email', title: 'E', fields: [] }, async () => {});`,
    channels: ['email'],
  });
  await t.rejects(world.install(foreign), { code: 'manifest_invalid', details: [{ path: 'contributes.channels.0' }] } as unknown as Error);
  await world.uninstall('guest');
  const left = (await kernel.invoke('notifications.channels', {}, admin)).body as { name: string }[];
  t.notOk(left.some(({ name }) => name === 'guest.loft'));
});

t.test('outside of a call a plugin acts as its own member with its rights', async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ...own] });
  const operations = ['members.list', 'members.create', 'hello.whoami', 'plugins.reload'];
  const activate = `let told; const asked = (id, input = {}) => ctx.call(id, input).then(() => 'done', ({ code }) => code);
    ctx.listen('guest.begin', async () => { told = { who: await ctx.call('hello.whoami', {}), list: await asked('members.list'),
      create: await asked('members.create', { username: 'mallory', role: 'admin', password: '12345678' }), reload: await asked('plugins.reload', { name: 'hello' }) }; });
    ctx.expose({ 'guest.begin': op('begin'), 'guest.told': op('told') }, { 'guest.begin': () => ctx.emit('guest.begin', {}), 'guest.told': () => told ?? null });`;
  await world.install(pluginZip({ activate, permissions: { operations } }));
  await world.kernel.invoke('guest.begin', {}, admin);
  const told = await until(
    () => world.ask('guest.told'),
    (answer) => answer !== null,
  );
  t.match(told, { who: { username: 'plugin-guest', member_id: Number }, list: 'done', create: 'forbidden', reload: 'forbidden' });
  t.match(await world.kernel.invoke('guest.told', {}, ann), { status: 200 });
  const login = { username: 'plugin-guest', password: adminPassword };
  t.match(
    await world.kernel.invoke('auth.login', login, callerOf({ member_id: 0 })).catch(failureOf),
    { status: 401 },
    "nobody can log in as the plugin's member",
  );
});

t.test("a plugin cannot read the platform's files by naming one as its own upload", async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ...own] });
  const folder = await temporaryFolder(t);
  const secret = join(folder, 'secret');
  await writeFile(secret, 'not for plugins', { mode: 0o600 });
  const activate = `const fs = require('node:fs');
    const file = (j) => j.object({ file: j.object().unknown().required() });
    ctx.expose({
      'guest.weigh': op('weigh', { kind: 'upload', input: file }),
      'guest.steal': op('steal', { input: (j) => j.object({ path: j.string().required() }) }),
    }, {
      'guest.weigh': ({ file }) => ({ text: fs.readFileSync(file.path, 'utf8') }),
      'guest.steal': ({ path }) => ctx.call('guest.weigh', { file: { filename: 'x', path, bytes: 1 } }),
    });`;
  await world.install(pluginZip({ activate }));
  const stolen = world.kernel.invoke('guest.steal', { path: secret }, callerOf({ member_id: 1 }));
  t.match(await stolen.catch(failureOf), { code: 'forbidden', status: 403 });
  t.match(await stat(secret), { mode: 0o100600, nlink: 1 }, "the file's mode is unchanged");
});

t.test("a plugin cannot read the platform's files by a default in its upload's schema", async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ...own] });
  const secret = join(await temporaryFolder(t), 'secret');
  await writeFile(secret, 'not for plugins', { mode: 0o600 });
  const named = JSON.stringify({ path: secret, filename: 'x', bytes: 1 });
  const activate = `const fs = require('node:fs');
    ctx.expose({
      'guest.weigh': op('weigh', { kind: 'upload', input: (j) => j.object({ file: j.object().unknown().default(${named}) }) }),
    }, {
      'guest.weigh': ({ file }) => ({ text: file === undefined ? 'no file' : fs.readFileSync(file.path, 'utf8') }) });`;
  await world.install(pluginZip({ activate }));
  t.match(await world.kernel.invoke('guest.weigh', {}, callerOf({ member_id: 1 })), { body: { text: 'no file' } });
  t.match(await stat(secret), { mode: 0o100600, nlink: 1 }, "the file's mode is unchanged");
});
