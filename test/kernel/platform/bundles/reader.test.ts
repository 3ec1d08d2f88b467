import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { removeFolder } from '../../../../kernel/platform/bundles/folder.js';
import { check, examine, unpack } from '../../../../kernel/platform/bundles/reader.js';
import { codeOf, contentsOf, goodPlugin, goodSkill, place, pluginManifest, sha256, skillManifest } from './world.js';
import { type Part, zipOf } from './zip.js';

const plugin = zipOf(goodPlugin());

t.test('returns manifest, files, sizes and hash of a bundle and writes nothing', async (t) => {
  const { put, others } = await place(t);
  const greetings = 'hello\n'.repeat(20);
  t.strictSame(await check(await put(plugin), { type: 'plugin', builtin: ['members'] }), {
    manifest: { ...pluginManifest, main: 'index.cjs', claims: ['/api/x/acme.hello'] },
    readme: '# Hello\n',
    files: [
      { name: 'README.md', bytes: 8 },
      { name: 'assets/greetings.txt', bytes: greetings.length },
      { name: 'index.cjs', bytes: 37 },
      { name: 'manifest.json', bytes: JSON.stringify(pluginManifest).length },
    ],
    unpacked_bytes: 8 + greetings.length + 37 + JSON.stringify(pluginManifest).length,
    content_hash: sha256(plugin),
    warnings: [],
    left_out: [],
  });
  t.strictSame(await others(), []);
});

t.test('returns the metadata of a skill from its SKILL.md', async (t) => {
  const { put } = await place(t);
  const { skill, readme, manifest } = await check(await put(zipOf(goodSkill())), { type: 'skill' });
  t.strictSame(skill, { name: 'reports', description: 'Writes reports. Use it when somebody asks for one.', body: '# Reports\n' });
  t.equal(readme, '');
  t.strictSame(manifest, skillManifest);
});

t.test("a setting's default must be a value that the setting accepts, except in what is installed already", async (t) => {
  const { folder, put } = await place(t);
  const bundle = (properties: object) => {
    const config = { type: 'object', properties };
    return put(zipOf(goodPlugin({ ...pluginManifest, config })));
  };
  const limit = { type: 'integer', minimum: 1, maximum: 10 };
  const wrong = await bundle({
    limit: { ...limit, default: 0 },
    mail: { type: 'object', properties: { port: { type: 'integer', default: '25' } } },
    key: { type: 'string', pattern: '^k_', default: 'x', writeOnly: true },
    fine: { ...limit, default: 1, title: 'Fine' },
  });
  const { faults } = await examine(wrong);
  t.match(faults, [{ code: 'manifest_invalid', details: [{}, {}, {}] }]);
  t.strictSame(
    faults[0]?.details?.map(({ path }) => path),
    ['limit', 'mail.properties.port', 'key'].map((name) => `config.properties.${name}.default`),
  );
  t.equal(
    faults[0]?.details?.[0]?.message,
    '"config.properties.limit.default" is not a value that the setting accepts: it must be greater than or equal to 1',
  );
  await t.rejects(check(wrong), { code: 'manifest_invalid' }, 'publishing and installing reject it');
  await t.resolves(unpack(wrong, join(folder, 'installed'), { installed: true }), 'an update of the platform does not stop the plugin');
  t.strictSame((await examine(await bundle({ limit: { ...limit, default: 10 } }))).faults, []);
});

t.test('an unpacked bundle has the same files, read-only', async (t) => {
  const { folder, put } = await place(t);
  const target = join(folder, 'unpacked');
  const { content_hash } = await unpack(await put(plugin), target);
  t.equal(content_hash, sha256(plugin));
  t.strictSame(await contentsOf(target), {
    'README.md': '# Hello\n',
    'assets/greetings.txt': 'hello\n'.repeat(20),
    'index.cjs': 'exports.default = { activate() {} };\n',
    'manifest.json': JSON.stringify(pluginManifest),
  });
  for (const entry of await readdir(target, { withFileTypes: true, recursive: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    t.equal(mode & 0o7777, entry.isDirectory() ? 0o555 : 0o444, entry.name);
  }
  t.equal((await stat(target)).mode & 0o7777, 0o555);
  await removeFolder(target);
  await t.rejects(stat(target), { code: 'ENOENT' });
  await removeFolder(target);
});

t.test(
  'a process without root rights unpacks and removes a bundle too',
  { skip: process.getuid?.() !== 0 && 'the others are it' },
  async (t) => {
    const { folder, put } = await place(t);
    const file = await put(plugin);
    const own = join(folder, 'own');
    await mkdir(own);
    for (const path of [folder, own]) await chmod(path, 0o777);
    await chmod(file, 0o644);
    const [reader, writer] = ['reader', 'folder'].map((name) =>
      fileURLToPath(new URL(`../../../../kernel/platform/bundles/${name}.js`, import.meta.url)),
    );
    const script =
      `const { unpack } = await import('${reader}'); const { removeFolder } = await import('${writer}');` +
      `const { access } = await import('node:fs/promises'); process.setgid(65534); process.setuid(65534);` +
      `await unpack('${file}', '${own}/a'); await access('${own}/a/index.cjs'); await removeFolder('${own}/a'); console.log('removed');`;
    const args = ['--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    t.equal(stdout, 'removed\n');
    t.strictSame(await readdir(own), []);
  },
);

t.test('a bundle is not unpacked over an existing folder', async (t) => {
  const { folder, put } = await place(t);
  const target = join(folder, 'unpacked');
  await writeFile(target, 'mine');
  t.equal(await codeOf(unpack(await put(plugin), target)), 'folder_exists');
  t.strictSame(await contentsOf(folder), { 'bundle.zip': plugin.toString('latin1'), unpacked: 'mine' });
});

t.test('a bundle other than the checked one is rejected', async (t) => {
  const { folder, put, others } = await place(t);
  const file = await put(plugin);
  t.equal(await codeOf(unpack(file, join(folder, 'unpacked'), { content_hash: sha256(Buffer.from('another')) })), 'bundle_hash_mismatch');
  t.strictSame(await others(), []);
  t.equal(await codeOf(unpack(file, join(folder, 'unpacked'), { content_hash: sha256(plugin) })), 'none');
});

t.test('paths that are not files are rejected, and a pipe does not hang the reader', async (t) => {
  const { folder } = await place(t);
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
  for (const name of ['absent.zip', '.', 'pipe']) t.equal(await codeOf(check(join(folder, name))), 'bundle_unreadable', name);
});

t.test('an aborted or timed-out read ends and leaves nothing', async (t) => {
  const { folder, put, others } = await place(t);
  const parts = Array.from({ length: 1900 }, (_, n): Part => ({ name: `f${n}`, method: 0, content: Buffer.alloc(20_000, `${n}`) }));
  const file = await put(zipOf([...goodPlugin(), ...parts]));
  const target = join(folder, 'unpacked');
  t.equal(await codeOf(unpack(file, target, { limit_ms: 20 })), 'bundle_timeout');
  const gone = new Error('the client has gone');
  await t.rejects(check(file, { signal: AbortSignal.abort(gone) }), gone);
  const controller = new AbortController();
  const unpacking = unpack(file, target, { signal: controller.signal });
  while (!(await others()).some((name) => name.endsWith('.unpacking'))) await new Promise((resolve) => setTimeout(resolve, 1));
  controller.abort(gone);
  await t.rejects(unpacking, gone);
  t.strictSame(await others(), []);
});

t.test("reports all faults of a bundle's manifest at once", async (t) => {
  const { put } = await place(t);
  const manifest = { ...skillManifest, id: 'search' };
  const parts: Part[] = [
    { name: 'manifest.json', content: JSON.stringify(manifest) },
    { name: 'SKILL.md', content: '---\nname: Reports\n---\n' },
    { name: 'README.md', content: Buffer.from([0xff]) },
    { name: 'a.node', content: 'x' },
  ];
  const { faults, bundle } = await examine(await put(zipOf(parts)), { type: 'plugin' });
  t.strictSame(
    faults.map(({ code }) => code),
    ['bundle_native_code', 'id_reserved', 'readme_invalid', 'skill_invalid'],
  );
  t.equal(bundle?.manifest.id, 'search');
  t.match(faults.at(-1)?.details, [{ path: 'name' }, { path: 'description' }]);
});

t.test('a bundle of many megabytes is read with little memory', async (t) => {
  const { put, folder } = await place(t);
  const noise = (n: number) => Buffer.alloc(15 * 1024 * 1024, `${n} is some text that repeats itself, `);
  const big = Array.from({ length: 12 }, (_, n): Part => ({ name: `big${n}`, content: noise(n) }));
  const stored: Part = { name: 'stored', method: 0, content: Buffer.alloc(10 * 1024 * 1024, 's') };
  const file = await put(zipOf([...goodPlugin(), ...big, stored]));
  const reader = fileURLToPath(new URL('../../../../kernel/platform/bundles/reader.js', import.meta.url));
  const script =
    `const { unpack } = await import('${reader}'); const before = process.memoryUsage.rss(); let max = before;` +
    'const timer = setInterval(() => { max = Math.max(max, process.memoryUsage.rss()); }, 5);' +
    `const { unpacked_bytes } = await unpack('${file}', '${folder}/unpacked'); clearInterval(timer);` +
    'console.log(JSON.stringify({ unpacked_bytes, grown: Math.round((max - before) / 1024) }));';
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=48', '--input-type=module', '-e', script]);
  const { unpacked_bytes, grown } = JSON.parse(stdout) as { unpacked_bytes: number; grown: number };
  t.ok(unpacked_bytes > 190 * 1024 * 1024);
  t.ok(grown < 60 * 1024, `${grown} KB more`);
});
