import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { savedName, saveNewFile } from '../../../kernel/client/save-file.js';

const file = { name: 'a.txt', bytes: Buffer.from('New') };

t.test('a file is saved under a new path, or in a folder under its own name', async (t) => {
  const folder = t.testdir({ below: {} });
  for (const [path, saved] of [
    ['b.txt', 'b.txt'],
    ['below', 'below/a.txt'],
    ['below/c.txt', 'below/c.txt'],
  ] as const) {
    t.equal(await saveNewFile(join(folder, path), file), join(folder, saved));
    t.equal(readFileSync(join(folder, saved), 'utf8'), 'New');
  }
});

t.test('what exists is never replaced, not even through a link', async (t) => {
  const folder = t.testdir({ 'a.txt': 'Old', below: { 'a.txt': 'Old' } });
  symlinkSync('a.txt', join(folder, 'link'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  for (const path of ['a.txt', 'below', 'link', 'dangling'])
    await t.rejects(
      saveNewFile(join(folder, path), file),
      { code: 'invalid_input', message: /exists already; choose another name$/ },
      path,
    );
  t.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'Old');
  t.notOk(existsSync(join(folder, 'nowhere')));
});

t.test('a file that cannot be saved leaves nothing behind', async (t) => {
  const folder = t.testdir({ 'a.txt': 'Old' });
  await t.rejects(saveNewFile(join(folder, 'none', 'b.txt'), file), {
    message: `There is no folder '${join(folder, 'none')}'; create it, or choose another place`,
  });
  await t.rejects(saveNewFile(join(folder, 'a.txt', 'b.txt'), file), { message: /can't be written: a part of its path is not a folder$/ });
  await t.rejects(saveNewFile(join(folder, 'x'.repeat(300)), file), { message: /can't be written: the name is too long$/ });
  await t.rejects(saveNewFile(join(folder, 'half.txt'), { name: 'half.txt', bytes: {} as Buffer }), { code: 'invalid_input' });
  t.strictSame(readdirSync(folder), ['a.txt']);
});

t.test('a name from elsewhere has no folders and hides nothing', (t) => {
  const cases = {
    '../../.bashrc': 'bashrc',
    'a\\..\\b.exe': 'b.exe',
    'a\u202Etxt.exe': 'atxt.exe',
    '\u001B[2Jx\n': 'x',
    '..': 'file',
    '~': 'file',
  };
  for (const [name, saved] of Object.entries(cases)) t.equal(savedName(name), saved, name);
  t.end();
});
