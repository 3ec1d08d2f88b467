import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { completePath } from '../../../kernel/client/path-completion.js';

t.test('paths are completed with the folder as it was typed', async (t) => {
  const folder = t.testdir({ a: { 'b.txt': '', 'b.md': '', c: {} }, '.hidden': '' });
  const at = (...names: string[]) => [folder, ...names].join('/');
  t.strictSame(await completePath(at('a', 'b')), { paths: [at('a', 'b.md'), at('a', 'b.txt')], more: 0 });
  t.strictSame(await completePath(at('a', '')), { paths: [at('a', 'b.md'), at('a', 'b.txt'), at('a', 'c/')], more: 0 });
  t.strictSame(await completePath(at('')), { paths: [at('a/')], more: 0 });
  t.strictSame(await completePath(at('.h')), { paths: [at('.hidden')], more: 0 });
  t.strictSame(await completePath(at('none', 'x')), { paths: [], more: 0 });
});

t.test('at most twenty are offered; names that a terminal would obey, and pipes, are not', async (t) => {
  const folder = t.testdir(Object.fromEntries(Array.from({ length: 23 }, (_file, index) => [`n${String(index).padStart(2, '0')}`, ''])));
  for (const name of ['x\u001B[31m', 'x\ny', 'x"y', 'x\u202Ey']) writeFileSync(join(folder, name), '');
  await promisify(execFile)('mkfifo', [join(folder, 'xpipe')]);
  const { paths, more } = await completePath(join(folder, 'n'));
  t.strictSame([paths.length, paths[0], more], [20, join(folder, 'n00'), 3]);
  t.strictSame(await completePath(join(folder, 'x')), { paths: [], more: 0 });
});
