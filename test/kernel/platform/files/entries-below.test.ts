import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t from 'tap';
import { entriesBelow } from '../../../../kernel/platform/files/entries-below.js';
import { temporaryFolder } from '../../../helpers/databases.js';

async function namesBelow(folder: string): Promise<string[]> {
  return (await entriesBelow(folder)).map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}

t.test('all entries below a folder are returned, but none behind a link', async (t) => {
  const [folder, elsewhere] = await Promise.all([temporaryFolder(t), temporaryFolder(t)]);
  await mkdir(join(folder, 'a/b/c'), { recursive: true });
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'a/b/c/file'), 'x');
  await writeFile(join(elsewhere, 'secret'), 'x');
  await symlink(elsewhere, join(folder, 'a/away'));
  await symlink('..', join(folder, 'a/b/back'));
  await symlink(join(elsewhere, 'secret'), join(folder, 'file-away'));
  t.same(await namesBelow(folder), ['a', 'a/away', 'a/b', 'a/b/back', 'a/b/c', 'a/b/c/file', 'empty', 'file-away']);
  const links = (await entriesBelow(folder)).filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  t.same(links.sort(), ['away', 'back', 'file-away']);
});

t.test('a subfolder that vanishes affects no other, and a missing folder fails', async (t) => {
  const folder = await temporaryFolder(t);
  const names = Array.from({ length: 200 }, (_, number) => `${number}`);
  const short = names.filter((_, at) => at % 2 === 1);
  for (const name of names) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'file'), name);
  }
  const going = Promise.all(short.map((name) => rm(join(folder, name), { recursive: true })));
  const found = await namesBelow(folder);
  await going;
  const lost = names.filter((name) => !short.includes(name) && !found.includes(join(name, 'file')));
  t.same(lost, []);
  await t.rejects(entriesBelow(join(folder, 'none')), { code: 'ENOENT' });
});
