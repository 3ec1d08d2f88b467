import { mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../helpers/platform.js';
import { sha256 } from '../../../kernel/platform/bundles/world.js';
import { bundleOf, indexOf, opened, soon } from './world.js';

async function folderWith(t: Test, files: Record<string, Buffer | string>): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

t.test('a folder of ZIPs is a source, and changed files are read again', async (t) => {
  const [one, two] = [bundleOf(), bundleOf({ version: '2.0.0' })];
  const signature = { public_key: 'key', signature: 'signature' };
  const folder = await folderWith(t, {
    'one.zip': one.zip,
    'two.ZIP': two.zip,
    'two.ZIP.sig': JSON.stringify(signature),
    'damaged.zip': one.zip.subarray(0, -1),
    'again.zip.bak': one.zip,
  });
  const { source, warnings, pass } = opened(t, `file://${folder}/`);
  t.equal(source.name, folder);
  t.match(await source.search({}, soon()), [{ id: 'acme.hello', version: '2.0.0', content_hash: sha256(two.zip), signature }]);
  t.match(warnings, [/damaged\.zip was skipped: /]);
  t.match(await source.find('acme.hello', '1.2.3', soon()), { content_hash: sha256(one.zip), readme: '# Hello\n' });

  const target = join(folder, 'arrived');
  const item = await source.find('acme.hello', undefined, soon());
  const told: number[][] = [];
  if (item) await source.download(item, target, { signal: soon(), onProgress: (bytes, total) => void told.push([bytes, total]) });
  t.same(told.at(-1), [two.zip.length, two.zip.length], 'the progress is reported in bytes');
  t.ok((await readFile(target)).equals(two.zip));

  const three = bundleOf({ version: '3.0.0' });
  await writeFile(join(folder, 'one.zip'), three.zip);
  await rm(join(folder, 'two.ZIP'));
  pass(61_000);
  t.match(await source.search({}, soon()), [{ version: '3.0.0' }]);
  t.equal(warnings.length, 1, 'a damaged file stays invalid and is not read again');
});

t.test('a file that looks unchanged is not read again', async (t) => {
  const [one, two] = [bundleOf({ name: 'Qwert' }).zip, bundleOf({ name: 'Zuiop' }).zip];
  t.equal(one.length, two.length);
  const folder = await folderWith(t, { 'one.zip': one });
  const { source, pass } = opened(t, folder);
  await utimes(join(folder, 'one.zip'), 1_000, 1_000);
  const [before] = await source.search({}, soon());
  await writeFile(join(folder, 'one.zip'), two);
  await utimes(join(folder, 'one.zip'), 1_000, 1_000);
  pass(61_000);
  const [after] = await source.search({}, soon());
  t.strictSame([before?.name, after?.name], ['Qwert', 'Qwert']);
  const target = join(folder, 'arrived');
  if (after)
    await t.rejects(
      source.download(after, target, { signal: soon() }),
      { code: 'source_hash_mismatch' },
      'a file that claims to be unchanged cannot deceive',
    );
  await t.rejects(readFile(target), { code: 'ENOENT' });
});

t.test('links are not followed for ZIPs, the index, or its entries', async (t) => {
  const outside = await folderWith(t, { 'secret.zip': bundleOf({ id: 'acme.secret' }).zip });
  const { zip, item } = bundleOf();
  const folder = await folderWith(t, { 'one.zip': zip });
  await symlink(join(outside, 'secret.zip'), join(folder, 'link.zip'));
  await mkdir(join(folder, 'folder.zip'));
  const { source, pass } = opened(t, folder);
  t.match(await source.search({}, soon()), { length: 1 });

  await writeFile(join(outside, 'index.json'), indexOf({ ...item, file: 'one.zip' }));
  await symlink(join(outside, 'index.json'), join(folder, 'index.json'));
  pass(61_000);
  await t.rejects(source.search({}, soon()), { code: 'source_unavailable', message: /index\.json can't be read \(ELOOP\)/ });

  await rm(join(folder, 'index.json'));
  const secret = bundleOf({ id: 'acme.secret' }).item;
  await writeFile(join(folder, 'index.json'), indexOf({ ...item, file: 'one.zip' }, { ...secret, file: 'link.zip' }));
  pass(61_000);
  t.match(await source.search({}, soon()), { length: 2 });
  const linked = await source.find('acme.secret', undefined, soon());
  const target = join(folder, 'arrived');
  if (linked)
    await t.rejects(source.download(linked, target, { signal: soon() }), {
      code: 'source_unavailable',
      message: /link\.zip can't be read/,
    });
  await t.rejects(readFile(target), { code: 'ENOENT' });
});

t.test('a missing folder, and one with too many files without an index, are reported', async (t) => {
  const folder = await temporaryFolder(t);
  await t.rejects(opened(t, join(folder, 'none')).source.search({}, soon()), {
    code: 'source_unavailable',
    message: `The folder ${join(folder, 'none')} can't be read (ENOENT)`,
  });
  for (let n = 0; n <= 2_000; n += 1) await writeFile(join(folder, `${n}.zip`), '');
  await t.rejects(opened(t, folder).source.search({}, soon()), { code: 'source_invalid', message: /more than 2000 ZIPs; create an index/ });
});

t.test('a file that is replaced by a larger one during the read is rejected', async (t) => {
  const { zip, item } = bundleOf();
  const folder = await folderWith(t, { 'one.zip': zip, 'index.json': indexOf({ ...item, file: 'one.zip' }) });
  const { source } = opened(t, folder);
  const found = await source.find('acme.hello', undefined, soon());
  await writeFile(join(folder, 'large'), Buffer.alloc(50 * 1024 * 1024 + 1));
  await rename(join(folder, 'large'), join(folder, 'one.zip'));
  const target = join(folder, 'arrived');
  if (found) await t.rejects(source.download(found, target, { signal: soon() }), { code: 'source_too_large' });
  await t.rejects(readFile(target), { code: 'ENOENT' });
});
