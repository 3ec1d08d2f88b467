import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { UploadFile } from '../../../kernel/http/upload-file.js';
import { temporaryFolder } from '../../helpers/platform.js';

t.test('a file has all that it was given, in order, and who gives faster than it is written waits', async (t) => {
  const folder = await temporaryFolder(t);
  const file = new UploadFile(folder);
  let text = '';
  let waits = 0;
  for (let n = 0; n < 100; n += 1) {
    const piece = `${n} `.repeat(10_000);
    text += piece;
    file.add(Buffer.from(piece));
    const room = file.room();
    waits += room ? 1 : 0;
    await room;
  }
  await file.close();
  t.equal(file.bytes, text.length);
  t.equal(await readFile(file.path, 'utf8'), text);
  // Pieces of 20 to 30 kB, and 256 KiB may wait.
  t.ok(waits >= 7 && waits <= 15, `${waits} times`);
  await file.remove();
  t.same(await readdir(folder), []);
});

t.test('of the smallest pieces no more than 64 wait', async (t) => {
  const file = new UploadFile(await temporaryFolder(t));
  for (let n = 0; n < 63; n += 1) file.add(Buffer.from('x'));
  t.equal(file.room(), undefined);
  file.add(Buffer.from('x'));
  await file.room();
  await file.close();
  t.equal(await readFile(file.path, 'utf8'), 'x'.repeat(64));
});

t.test('what can not be written fails, and leaves nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const nowhere = new UploadFile(join(folder, 'none'));
  nowhere.add(Buffer.alloc(256 * 1024));
  await t.rejects(async () => nowhere.room(), { code: 'ENOENT' });
  t.throws(() => nowhere.room(), { code: 'ENOENT' });
  await nowhere.remove();
  const unwritten = new UploadFile(join(folder, 'none'));
  await t.rejects(unwritten.close(), { code: 'ENOENT' });
  const dropped = new UploadFile(folder);
  dropped.add(Buffer.from('x'));
  await dropped.remove();
  t.same(await readdir(folder), []);
});
