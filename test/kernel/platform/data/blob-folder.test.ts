import { createHash } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { BlobFolder } from '../../../../kernel/platform/data/blob-folder.js';
import { temporaryFolder } from '../../../helpers/databases.js';

const hexOf = (name: string): string => createHash('sha256').update(name).digest('hex');

t.test('the folder is scanned only if it may exceed its limit, not at each write', async (t) => {
  const path = await temporaryFolder(t);
  const folder = new BlobFolder(path, 1_000);
  const write = (name: string, size: number) => folder.write(hexOf(name), new Uint8Array(size));
  const has = async (...names: string[]) => {
    const found = await Promise.all(names.map((name) => folder.has(hexOf(name))));
    return names.filter((_name, at) => found[at]);
  };
  await write('a', 300);
  // Files that came in another way are found only by a scan.
  await mkdir(join(path, 'zz'));
  await writeFile(join(path, 'zz', 'other'), new Uint8Array(5_000));
  await utimes(join(path, 'zz', 'other'), 1, 1);
  await write('b', 300);
  await write('c', 300);
  t.same(await readdir(join(path, 'zz')), ['other']);
  t.same(await has('a', 'b', 'c'), ['a', 'b', 'c']);
  await write('d', 200);
  t.same(await readdir(join(path, 'zz')), [], 'the least recently used blob is removed first');
  t.equal((await has('a', 'b', 'c', 'd')).length, 3, 'enough blobs are removed to leave some space');
  await write('e', 90);
  t.equal((await has('a', 'b', 'c', 'd', 'e')).length, 4);
});

t.test('an unlimited folder keeps everything', async (t) => {
  const folder = new BlobFolder(await temporaryFolder(t));
  for (const name of ['a', 'b']) await folder.write(hexOf(name), new Uint8Array(2_000_000));
  t.same(await Promise.all(['a', 'b'].map((name) => folder.has(hexOf(name)))), [true, true]);
});
