import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Accounts, freeIds } from '../../../../../kernel/platform/sandbox/walls/account.js';
import { checkedFolder } from '../../../../../kernel/platform/sandbox/walls/bundle-folder.js';
import { Containment } from '../../../../../kernel/platform/sandbox/walls/containment.js';
import { openViews } from '../../../../../kernel/platform/sandbox/walls/isolation.js';
import { neededWalls, wallNames } from '../../../../../kernel/platform/sandbox/walls/wall.js';
import { becomes } from '../../../../helpers/eventually.js';
import { skipWithout } from '../../../../helpers/parts.js';
import { callerOf, fixture, startPlatform, temporaryFolder } from '../../../../helpers/platform.js';
import { pluginProcesses } from '../processes.js';
import { failureOf, installSandboxed, pluginFolder } from '../world.js';

const skip = skipWithout('namespaces');
const asRoot = skip || (process.getuid?.() !== 0 && 'needs root');

const greeting = `ctx.expose({ 'x.greet': op('greet') }, { 'x.greet': () => 'hello' });`;

const refusing = (data_dir: string, trusted: readonly string[] = []) =>
  new Containment({ data_dir, trusted, walls: wallNames.filter((wall) => !neededWalls.includes(wall)) });

async function start(t: Test) {
  const platform = await startPlatform(t, { extensions: [fixture('hello')], strict: false });
  const { kernel } = platform;
  const record = async (name: string) =>
    (await kernel.invoke('plugins.get', { name }, callerOf())).body as { walls: string[]; state: string };
  const greeted = async () => (await kernel.invoke('x.greet', {}, callerOf())).body;
  return { ...platform, record, greeted };
}

t.test("a plugin's record names its effective walls", { skip }, async (t) => {
  const platform = await start(t);
  const folder = await pluginFolder(t, greeting);
  await installSandboxed(platform, folder, { trusted: false });
  t.same((await platform.record('xx')).walls, [...wallNames]);
  t.same((await platform.record('hello')).walls, [], "an extension in the platform's process has no walls");
  await installSandboxed(platform, folder, { walls: refusing(platform.data_dir, ['xx']) });
  t.equal(await platform.greeted(), 'hello');
  await platform.kernel.host.disable('xx');
  await becomes(t, async () => (await platform.record('xx')).walls, []);
});

t.test('without a required wall only trusted plugins run', async (t) => {
  const platform = await start(t);
  const folder = await pluginFolder(t, greeting);
  const refused = await installSandboxed(platform, folder, { walls: refusing(platform.data_dir), trusted: false }).catch(failureOf);
  t.match(refused, {
    code: 'plugin_not_contained',
    status: 409,
    message: /^Extension 'xx' may not run.* user \(.*network \(.*PLATFORM_PLUGINS_TRUSTED=xx/,
  });
  await installSandboxed(platform, folder, { walls: refusing(platform.data_dir, ['xx']), trusted: false });
  t.equal(await platform.greeted(), 'hello', 'a plugin named by the setting runs');
  await installSandboxed(platform, folder, { walls: refusing(platform.data_dir), trusted: true });
  t.equal(await platform.greeted(), 'hello', 'a plugin trusted by an administrator runs');
});

t.test('the check is green if all walls hold, otherwise red with the missing ones and their fix', async (t) => {
  const data_dir = await temporaryFolder(t);
  const red = await refusing(data_dir).check([]);
  t.equal(red.ok, process.platform !== 'linux');
  t.match(red.message, /connect to this machine and to the network/);
  t.match(red.message, /Only plugins that plugins\.trusted names run/);
  if (skip === false)
    t.match(await new Containment({ data_dir, trusted: [] }).check(['xx']), {
      ok: true,
      message: /^Plugins are isolated by permissions, folder, user, /,
    });
});

t.test('a missing wall is red only if an untrusted plugin needs it', async (t) => {
  const data_dir = await temporaryFolder(t);
  const check = (trusted: readonly string[], plugins: readonly string[]) => refusing(data_dir, trusted).check(plugins);
  const all = await check(['xx', 'yy'], ['xx']);
  t.match(all, { ok: true, fix: undefined });
  if (process.platform !== 'linux') return;
  t.match(all.message, /^Walls around plugins do not hold: user \(.*\. All installed plugins are trusted\.$/);
  t.match(await check(['xx'], []), { ok: true }, 'all installed plugins are trusted');
  t.match(await check(['xx'], ['xx', 'yy']), { ok: false, fix: /./ });
  t.match(await check([], []), { ok: false }, 'no plugin could be installed');
});

t.test('a missing program is named as the reason', async (t) => {
  const { PATH } = process.env;
  const data_dir = await temporaryFolder(t);
  process.env.PATH = data_dir;
  t.teardown(() => (process.env.PATH = PATH));
  const walls = await new Containment({ data_dir, trusted: [], walls: ['permissions', 'limits'] }).walls();
  t.same(walls.filter(({ holds }) => holds).length, existsSync('/usr/bin/prlimit') ? 2 : 1, 'system folders are searched too');
  t.match(
    walls.find(({ wall }) => wall === 'network'),
    { holds: false, why: 'it was left out' },
  );
});

t.test('a bundle folder that leads elsewhere is rejected', async (t) => {
  const platform = await start(t);
  const folder = await pluginFolder(t, greeting);
  const tried = async (uid?: number) =>
    checkedFolder(folder, uid).then(
      () => 'accepted',
      (fault: Error) => fault.message,
    );
  t.equal(await tried(1), 'accepted');
  await mkdir(join(folder, 'deep'));
  await symlink('/etc', join(folder, 'deep', 'etc'));
  t.equal(await tried(), 'Its folder contains a symbolic link: deep/etc');
  t.match(await installSandboxed(platform, folder).catch(failureOf), { code: 'extension_failed', message: /symbolic link: deep\/etc/ });
  const others = await pluginFolder(t, greeting);
  await writeFile(join(others, 'secret'), '', { mode: 0o600 });
  t.equal(await checkedFolder(others, undefined), others);
  await t.rejects(checkedFolder(others, 1), { message: /^In its folder secret can't be read by the user of its process/ });
  await t.rejects(checkedFolder(others, statSync(others).uid), { message: 'Its folder belongs to the user of its process' });
  await chmod(others, 0o700);
  await t.rejects(checkedFolder(others, 1), { message: /^Its folder can't be read/ });
  const full = await pluginFolder(t, greeting);
  await Promise.all(Array.from({ length: 2_000 }, (_, n) => writeFile(join(full, `f${n}`), '')));
  await t.rejects(checkedFolder(full, undefined), { message: 'Its folder contains 2002 entries, but at most 2000 are allowed' });
});

t.test('each plugin has its own user id, and the same one again', { skip: asRoot }, async (t) => {
  const files = await temporaryFolder(t);
  const folders = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await mkdir(join(files, name));
      return join(files, name);
    }),
  );
  const [a = '', b = '', c = ''] = folders;
  await writeFile(join(a, 'kept'), 'kept');
  await writeFile(join(files, 'outside'), '');
  await symlink('../outside', join(a, 'link'));
  await symlink('..', join(a, 'folder'));
  const accounts = new Accounts();
  const first = await accounts.assign('a', a);
  t.ok((await freeIds()).includes(first.uid));
  t.same([statSync(a).uid, statSync(join(a, 'kept')).uid], [first.uid, first.uid], "the account owns the plugin's files");
  t.same([statSync(join(files, 'outside')).uid, statSync(files).uid], [0, 0], 'no link is followed');
  const [other, again] = await Promise.all([accounts.assign('b', b), accounts.assign('a', a)]);
  t.not(other.uid, first.uid);
  t.equal(again.uid, first.uid);
  for (const each of [first, again, other]) each.release();
  const later = new Accounts();
  t.not((await later.assign('c', c)).uid, first.uid, 'an id that owns the files of another plugin is not assigned');
  t.equal((await later.assign('a', a)).uid, first.uid, 'the id is the same after a restart');
});

t.test('the same plugin of another platform on this machine usually has another user id', { skip: asRoot }, async (t) => {
  const uids = new Set<number>();
  for (let n = 0; n < 4; n += 1) {
    // With nothing beside it, as another platform's.
    const files = join(await temporaryFolder(t), 'a');
    await mkdir(files);
    uids.add((await new Accounts().assign('a', files)).uid);
  }
  t.ok(uids.size > 1, [...uids].join(' '));
});

t.test('user ids are chosen that nobody has and that this system supports', async (t) => {
  const folder = await temporaryFolder(t);
  const [map, accounts] = [join(folder, 'map'), join(folder, 'passwd')];
  await writeFile(accounts, 'root:x:0:0::/:\nodd:x:1900000001:1::/:\nsmall:x:64201:1::/:\n');
  await writeFile(map, '         0          0 4294967295\n');
  const ids = await freeIds(map, accounts);
  t.same([ids.length, ids[0], ids[1]], [1_023, 1_900_000_000, 1_900_000_002]);
  await writeFile(map, '0 100000 65536\n');
  const small = await freeIds(map, accounts);
  t.same([small.length, small[0], small[1]], [1_023, 64_200, 64_202]);
  await writeFile(map, '0 1000 1\n');
  t.same(await freeIds(map, accounts), []);
});

t.test('a view is removed after use, and those of a killed platform too', { skip }, async (t) => {
  const platform = await start(t);
  const views = join(platform.data_dir, 'views');
  const before = pluginProcesses().length;
  await installSandboxed(platform, await pluginFolder(t, greeting));
  t.match(readdirSync(views), [/^\d+-\w+$/, /^\d+-\w+\.1\.mounts$/], 'there is one folder for all, and a table for each');
  t.equal(pluginProcesses().length, before + 1);
  await platform.kernel.host.disable('xx');
  await becomes(t, () => [readdirSync(views).length, pluginProcesses().length], [1, before]);
  await platform.kernel.close();
  t.same(readdirSync(views), []);
  await mkdir(join(views, '999999999-left', 'usr', 'lib'), { recursive: true });
  await writeFile(join(views, '999999999-left', 'usr', 'node'), '');
  await writeFile(join(views, '999999999-left.1.mounts'), 'text');
  await mkdir(join(views, `${process.pid}-earlier`));
  await mkdir(join(views, '1-running'));
  openViews(platform.data_dir);
  t.same(readdirSync(views), ['1-running'], 'a view of a living process is kept');
});

t.test('an upload reaches the plugin under any user id, and its own folder stays its own after a restart', { skip }, async (t) => {
  const platform = await start(t);
  const code = `const fs = require('node:fs'); const file = (await ctx.files()) + '/count';
    const read = () => (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0);
    ctx.expose({ 'x.count': op('count'), 'x.up': op('up', { kind: 'upload', input: (j) => j.object({ file: j.any() }) }) }, {
      'x.count': () => { fs.writeFileSync(file, String(read() + 1)); return read(); },
      'x.up': ({ file }) => fs.readFileSync(file.path, 'utf8'),
    });`;
  const folder = await pluginFolder(t, code);
  const count = async () => (await platform.kernel.invoke('x.count', {}, callerOf())).body;
  await installSandboxed(platform, folder);
  const form = new FormData();
  form.append('file', new Blob(['uploaded']), 'a.txt');
  const response = await fetch(`${platform.url}/api/x/x/up`, { method: 'POST', body: form });
  t.match([response.status, await response.json()], [200, 'uploaded']);
  t.equal(await count(), 1);
  await platform.kernel.host.disable('xx');
  await installSandboxed(platform, folder);
  t.equal(await count(), 2);
});
