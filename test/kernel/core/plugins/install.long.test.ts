import { readdirSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { eachPlatform } from '../../../helpers/cluster.js';
import { becomes } from '../../../helpers/eventually.js';
import { fixture, ownExtension } from '../../../helpers/platform.js';
import { failureOf } from '../../platform/sandbox/world.js';
import { hashOf, pluginZip } from './bundle.js';
import { admin, extensions, startWorld, trusting, worldOf } from './world.js';

interface Expected {
  code: string;
  status?: number;
  message?: RegExp;
}

const greeting = (version: string) =>
  `ctx.expose({ 'guest.greet': op('greet', { tool: true, schedulable: true }) }, { 'guest.greet': () => '${version}' });`;
const first = pluginZip({ activate: greeting('one') });
const second = pluginZip({ version: '2.0.0', activate: greeting('two') });

t.test('a bundle is installed, replaced and removed without a restart on each database', async (t) => {
  await eachPlatform(t, { extensions, strict: false, settings: trusting }, async (t, platform) => {
    const world = worldOf(platform);
    const zip = pluginZip({ activate: `${greeting('one')} ctx.listen('guest.happened', async () => {});` });
    const installed = await world.install(zip);
    t.match(installed, { id: 'guest', type: 'plugin', version: '1.0.0', permissions: {}, changed: true, previous: null });
    t.equal(await world.ask('guest.greet'), 'one');
    t.match(await world.record('guest'), {
      state: 'active',
      builtin: false,
      version: '1.0.0',
      error: null,
      memory_mb: Number,
      restarts: 0,
    });
    t.ok(((await world.record('guest')).memory_mb ?? 0) > 20, 'the memory of its process is reported');
    t.match(await world.installed(), [
      { id: 'guest', content_hash: hashOf(zip), state: 'active', version: '1.0.0', installed_at: installed.installed_at },
    ]);
    t.same(await world.folders(), [`guest/${hashOf(zip).slice(7, 15)}`]);

    t.match(await world.install(zip), { changed: false, installed_at: installed.installed_at });
    t.match(await world.install(second), { version: '2.0.0', changed: true, previous: '1.0.0', installed_at: installed.installed_at });
    t.equal(await world.ask('guest.greet'), 'two');
    await becomes(t, () => world.folders(), [`guest/${hashOf(second).slice(7, 15)}`]);

    const released = await world.uninstall('guest');
    t.same(released, { operations: 1, actions: 1, tools: 1, subscriptions: 0, process: 1 });
    t.match(await world.ask('guest.greet'), { code: 'operation_not_found' });
    t.equal((await fetch(`${world.url}/api/x/guest/greet`, { method: 'POST' })).status, 404);
    t.same([await world.installed(), await world.folders()], [[], []]);
    await t.rejects(world.record('guest'), { code: 'plugin_not_found' });
    await t.rejects(world.uninstall('guest'), { code: 'plugin_not_found' });
    await t.rejects(world.uninstall('hello'), { code: 'extension_required' });
  });
});

t.test('a version that fails to start leaves the old one serving and nothing else', async (t) => {
  const world = await startWorld(t);
  await world.install(first);
  const faults: [string, Expected][] = [
    ['throw new Error("no");', { code: 'extension_failed', status: 502, message: /no/ }],
    ['process.exit(3);', { code: 'extension_failed', message: /exit code 3/ }],
    [`ctx.listen('members.deleted', async () => {});`, { code: 'extension_failed', status: 502, message: /permissions\.events/ }],
    [
      `throw Object.assign(new Error('no such hook'), { isFailure: true, code: 'hook_not_found', status: 404 });`,
      { code: 'extension_failed', message: /no such hook/ },
    ],
  ];
  for (const [activate, failure] of faults) {
    await t.rejects(world.install(pluginZip({ version: '2.0.0', activate })), failure, activate);
    t.equal(await world.ask('guest.greet'), 'one');
    t.same(await world.folders(), [`guest/${hashOf(first).slice(7, 15)}`]);
    t.match(await world.installed(), [{ version: '1.0.0', state: 'active' }]);
  }
  await t.rejects(world.install(pluginZip({ id: 'other', activate: 'throw new Error("no");' })), { code: 'extension_failed' });
  t.same(
    (await world.installed()).map(({ id }) => id),
    ['guest'],
  );
  await t.rejects(world.record('other'), { code: 'plugin_not_found' });
});

t.test('bundles with forbidden contents are rejected', async (t) => {
  const world = await startWorld(t);
  await world.install(first);
  const other = { contributes: { operations: {} } };
  const table: [string, Buffer, Expected][] = [
    ['no ZIP', Buffer.from('hello'), { code: 'bundle_not_zip' }],
    ['an id of the platform', pluginZip({ id: 'hello' }), { code: 'id_reserved', status: 409 }],
    ['an id that begins with another', pluginZip({ id: 'guest.more' }), { code: 'extension_conflict' }],
    ['for another platform', pluginZip({ id: 'far', engines: { platform: '^9.0.0' } }), { code: 'engine_mismatch', status: 409 }],
    ['without what it needs', pluginZip({ id: 'far', dependencies: { nothing: '^1.0.0' } }), { code: 'dependency_missing', status: 409 }],
    [
      'other operations than it says',
      pluginZip({ activate: greeting('x'), ...other }),
      { code: 'extension_failed', message: /other operations than its manifest lists: guest.greet/ },
    ],
    [
      'another operation than it says',
      pluginZip({
        activate: `ctx.expose({ 'guest.greet': op('greet', process.pid > 0 ? { who: 'admin' } : {}) }, { 'guest.greet': () => 1 });`,
      }),
      { code: 'extension_failed', message: /'guest.greet' differs from its manifest/ },
    ],
    [
      'another audience than it says',
      pluginZip({
        activate: `ctx.expose({ 'guest.greet': op('greet', process.pid > 0 ? { audience: 'members' } : {}) }, { 'guest.greet': () => 1 });`,
      }),
      { code: 'extension_failed', message: /'guest.greet' differs from its manifest/ },
    ],
    [
      "an audience that an administrators' operation can't have",
      pluginZip({
        activate: `ctx.expose({ 'guest.greet': op('greet', { who: 'admin', audience: 'members' }) }, { 'guest.greet': () => 1 });`,
      }),
      { code: 'manifest_invalid' },
    ],
  ];
  for (const [what, zip, failure] of table) await t.rejects(world.install(zip), failure, what);
  t.equal(await world.ask('guest.greet'), 'one');
  const file = join(world.data_dir, 'x.zip');
  await writeFile(file, first);
  t.match((await world.kernel.invoke('market.check', { file }, admin)).body, { content_hash: hashOf(first), manifest: { id: 'guest' } });
});

t.test('a version with more permissions must be accepted and gets only those accepted', async (t) => {
  const world = await startWorld(t);
  const trying = `ctx.expose({ 'guest.try': op('try') }, { 'guest.try': ({ id }) => ctx.call(id, id === 'hello.greet' ? { name: 'x' } : {}) });`;
  const version = (n: number, permissions: object) => pluginZip({ version: `${n}.0.0`, permissions, activate: trying });
  await world.install(version(1, { operations: ['hello.greet'], storage: true }));
  t.match(await world.ask('guest.try', { id: 'hello.greet' }), { greeting: 'Hello, x' });
  t.match(await world.ask('guest.try', { id: 'hello.whoami' }), { code: 'permission_denied', status: 403 });
  t.match((await world.record('guest')).permissions, { operations: ['hello.greet'], storage: true });

  const more = version(2, { operations: ['hello.greet', 'hello.whoami'], storage: true, public_routes: true, network: ['a.org'] });
  const refused = await world.install(more).catch((fault: unknown) => failureOf(fault));
  t.match(refused, {
    code: 'permissions_not_accepted',
    status: 409,
    details: [
      { path: 'permissions.operations', message: 'hello.whoami' },
      { path: 'permissions.network', message: 'a.org' },
      { path: 'permissions.public_routes', message: 'true' },
    ],
  });
  t.match(await world.ask('guest.try', { id: 'hello.whoami' }), { code: 'permission_denied' }, 'nothing has changed');
  t.match(await world.install(version(3, { operations: ['hello.greet'] })), { version: '3.0.0' }, 'fewer permissions need no acceptance');
  await t.rejects(
    world.install(version(4, { storage: true })),
    { code: 'permissions_not_accepted' },
    'a permission that was given up needs acceptance again',
  );
  t.match(await world.install(more, { accept_permissions: true }), { version: '2.0.0', changed: true });
  t.match(await world.ask('guest.try', { id: 'hello.whoami' }), { username: 'ann' });
});

t.test('installed plugins are active after a restart, and failing ones do not affect others', async (t) => {
  const world = await startWorld(t);
  const { data_dir } = world;
  await world.install(first);
  await world.install(
    pluginZip({
      id: 'moody',
      activate: `if ((await ctx.files(), require('node:fs').existsSync(await ctx.files() + '/sulk'))) throw new Error('sulks');`,
    }),
  );
  await world.install(pluginZip({ id: 'damaged', activate: greeting('whole').replaceAll('guest', 'damaged') }));
  await world.kernel.invoke('plugins.disable', { name: 'guest' }, admin);
  await world.kernel.close();

  await writeFile(join(data_dir, 'files', 'moody', 'sulk'), '');
  const [hash] = readdirSync(join(data_dir, 'extensions', 'damaged'));
  const main = join(data_dir, 'extensions', 'damaged', hash as string, 'index.cjs');
  await chmod(main, 0o644);
  await writeFile(main, (await readFile(main, 'utf8')).replace('whole', 'altered'));

  const again = await startWorld(t, { settings: { data_dir } });
  t.match(await again.record('guest'), { state: 'disabled' });
  t.match(await again.record('moody'), { state: 'failed', error: /sulks/ });
  t.equal(await again.ask('damaged.greet'), 'whole', 'an altered bundle is unpacked again');
  await again.kernel.invoke('plugins.enable', { name: 'guest' }, admin);
  t.equal(await again.ask('guest.greet'), 'one');
  t.equal((await fetch(`${again.url}/readyz`)).status, 200);
  t.same(await again.uninstall('moody'), { operations: 0, actions: 0, tools: 0, subscriptions: 0, process: 0 });
});

t.test('uninstalling keeps data unless it is purged', async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ownExtension('members')] });
  const kept = pluginZip({
    permissions: { storage: true, operations: ['hello.whoami'] },
    activate: `const fs = require('node:fs'); const itself = ctx.call('hello.whoami', {}); const file = async () => await ctx.files() + '/kept';
      ctx.expose({ 'guest.keep': op('keep'), 'guest.find': op('find'), 'guest.self': op('self') }, {
        'guest.keep': async () => { fs.writeFileSync(await file(), 'x'); await ctx.storage.set('k', 1); },
        'guest.find': async () => [fs.existsSync(await file()), await ctx.storage.get('k') ?? null],
        'guest.self': () => itself,
      });
      exports.default.deactivate = () => ctx.storage.set('k', 2);`,
  });
  const memberNamed = async () => {
    const { body } = await world.kernel.invoke('members.list', { keyword: 'Guest' }, admin);
    return (body as { items: { id: number; nickname: string; is_virtual: boolean; role: string }[] }).items;
  };
  await world.install(kept);
  const [member] = await memberNamed();
  t.match(member, { nickname: 'Guest', is_virtual: true, role: 'member', username: 'plugin-guest' });
  t.match(
    await world.ask('guest.self'),
    { member_id: member?.id, username: 'plugin-guest' },
    'outside of any call it acts as its own member',
  );
  t.match((await world.kernel.invoke('members.list_virtual', {}, admin)).body, [], 'its own member is not an AI employee');
  await world.ask('guest.keep');
  await world.uninstall('guest');
  await world.install(kept);
  t.same(await world.ask('guest.find'), [true, 2]);
  t.match(await memberNamed(), [{ id: member?.id }], 'it has the same member again');
  await world.uninstall('guest', { purge: true });
  t.same(await memberNamed(), []);
  await world.install(kept);
  t.same(await world.ask('guest.find'), [false, null], 'nothing that it wrote while stopping is left');
});

t.test('refuses to remove an extension before its dependents', async (t) => {
  const world = await startWorld(t);
  await world.install(first);
  const needy = { id: 'needy', dependencies: { guest: '^1.0.0' } };
  await world.install(pluginZip(needy));
  await t.rejects(world.uninstall('guest', { purge: true }), {
    code: 'extension_conflict',
    status: 409,
    message: /'needy' depends on 'guest'/,
  });
  t.equal(await world.ask('guest.greet'), 'one');
  await world.install(second);
  t.match(
    await world.record('needy'),
    { error: /needs guest \^1.0.0 but 2.0.0 is active/ },
    'a version outside the required range is rejected',
  );
  await world.install(first);
  t.match(await world.record('needy'), { state: 'active' });
  await world.uninstall('needy');
  t.match(await world.uninstall('guest'), { operations: 1 });
});

t.test('a skill can be read and runs no code', async (t) => {
  const world = await startWorld(t);
  const skill = { name: 'SKILL.md', content: '---\nname: reports\ndescription: Writes reports.\n---\n# Reports\n' };
  const { contributes: _none, ...manifest } = { contributes: undefined, id: 'reports', type: 'skill' as const, name: 'Reports' };
  const zip = pluginZip({ ...manifest, contributes: {}, files: [skill] });
  t.match(await world.install(zip), { type: 'skill', id: 'reports' });
  const [installed] = await world.installed();
  t.match(await readFile(join(installed?.folder ?? '', 'SKILL.md'), 'utf8'), /# Reports/);
  t.match(await world.record('reports'), { state: 'active', type: 'skill', memory_mb: null });
  t.same(await world.uninstall('reports'), { operations: 0, actions: 0, tools: 0, subscriptions: 0, process: 0 });
});

t.test('the platform reports its version, and a plugin has no installer', async (t) => {
  const world = await startWorld(t, { extensions: [fixture('market')] });
  t.match((await world.kernel.invoke('market.installed', {}, admin)).body, { platform_version: /^\d+\.\d+\.\d+/, items: [] });
  await world.install(pluginZip({ activate: `ctx.expose({ 'guest.see': op('see') }, { 'guest.see': () => Object.keys(ctx).sort() });` }));
  const keys = (await world.ask('guest.see')) as string[];
  for (const key of ['extensions', 'db', 'blobs', 'secrets', 'invoke', 'use', 'contribute']) t.notOk(keys.includes(key), key);
});
