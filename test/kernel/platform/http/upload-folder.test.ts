import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { uploadFolder } from '../../../../kernel/platform/http/cell-maker.js';

t.test('each process has its own folder, and folders of killed ones are removed', async (t) => {
  const folder = join(t.testdir(), 'uploads');
  const first = await uploadFolder(folder);
  t.equal((await stat(first)).mode & 0o777, 0o700);
  await writeFile(join(first, 'half'), 'x');
  await mkdir(join(first, 'deeper'));
  const second = await uploadFolder(folder);
  t.same(await readdir(folder), [basename(second)]);
  t.same(await readdir(second), []);
});
