import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { uploadFolder } from '../../../kernel/http/upload-folder.js';

t.test('each process has a folder of its own, and what killed ones have left goes', async (t) => {
  const folder = join(t.testdir(), 'uploads');
  const first = await uploadFolder({ folder, alone: false });
  await writeFile(join(first, 'under-way'), 'x');
  t.equal((await stat(first)).mode & 0o777, 0o700);
  await mkdir(join(folder, 'process-left'));
  await writeFile(join(folder, 'process-left', 'half'), 'x');
  await utimes(join(folder, 'process-left'), new Date(0), new Date(0));
  const second = await uploadFolder({ folder, alone: false });
  t.same((await readdir(folder)).sort(), [basename(first), basename(second)].sort(), 'another one’s stays, but not for ever');
  t.same(await readdir(first), ['under-way']);
  const third = await uploadFolder({ folder, alone: true });
  t.same(await readdir(folder), [basename(third)], 'nobody else works in it');
});
