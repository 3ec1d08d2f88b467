import { join } from 'node:path';
import t from 'tap';
import { UsageError } from '../../cli/exit.js';
import { readSentFile } from '../../cli/file-source.js';
import type { Terminal } from '../../cli/terminal.js';

const terminal = { stdin: { isTTY: true } } as Terminal;

t.test('a file to send is read, and an unreadable one is a usage error', async (t) => {
  const folder = t.testdir({ 'a.txt': 'hello' });
  const path = join(folder, 'a.txt');
  t.strictSame(await readSentFile(path, terminal), { name: path, bytes: Buffer.from('hello') });
  const missing = join(folder, 'b.txt');
  await t.rejects(
    readSentFile(missing, terminal),
    new UsageError(`'${missing}' can't be read: there is no such file`, 'name a file to send'),
  );
  await t.rejects(readSentFile(folder, terminal), new UsageError(`'${folder}' can't be read: it is a folder`, 'name a file to send'));
});
