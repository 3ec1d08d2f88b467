import { execFile } from 'node:child_process';
import { chmodSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { checkLocalFile, expandHome, localName, readLocalFile } from '../../../kernel/client/local-file.js';
import { temporaryFolder } from '../../helpers/platform.js';

const limit = 10;

t.test('a file is read with its name', async (t) => {
  const folder = t.testdir({ 'a b.txt': 'hello' });
  const path = join(folder, 'a b.txt');
  t.strictSame(await readLocalFile(path, limit), { name: 'a b.txt', bytes: Buffer.from('hello') });
  t.strictSame(await checkLocalFile(path, limit), { name: 'a b.txt', bytes: 5 });
  symlinkSync(path, join(folder, 'link.txt'));
  t.match(await readLocalFile(join(folder, 'link.txt'), limit), { name: 'link.txt' });
});

t.test('what is no regular file with content, or is too large, is refused with the reason and not read', async (t) => {
  const folder = t.testdir({ 'empty.txt': '', 'exact.txt': '0123456789', 'large.txt': '0123456789!', folder: {} });
  // The path of a socket must be short.
  const short = await temporaryFolder(t);
  const at = (name: string) => join(name === 'socket' ? short : folder, name);
  writeFileSync(at('huge.bin'), '');
  truncateSync(at('huge.bin'), 2 ** 40);
  await promisify(execFile)('mkfifo', [at('pipe')]);
  const server = createServer().listen(at('socket'));
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  symlinkSync('loop', at('loop'));
  symlinkSync('nowhere', at('dangling'));
  const refused: Record<string, string> = {
    'missing.txt': "can't be read: there is no such file",
    dangling: "can't be read: there is no such file",
    loop: "can't be read: its links form a loop",
    'empty.txt/a': "can't be read: a part of its path is not a folder",
    folder: "can't be sent: it is a folder",
    'empty.txt': "can't be sent: it is empty",
    'large.txt': "can't be sent: it has 11 bytes, and the limit is 10",
    'huge.bin': `can't be sent: it has ${2 ** 40} bytes, and the limit is 10`,
    pipe: "can't be sent: it is not a regular file",
    socket: "can't be sent: it is not a regular file",
    '/dev/zero': "can't be sent: it is not a regular file",
  };
  for (const [name, reason] of Object.entries(refused)) {
    const path = name.startsWith('/') ? name : at(name);
    const failure = { code: 'invalid_input', status: 400, message: `'${path}' ${reason}` };
    await t.rejects(readLocalFile(path, limit), failure, name);
    await t.rejects(checkLocalFile(path, limit), failure, name);
  }
  t.equal((await readLocalFile(at('exact.txt'), limit)).bytes.length, limit);
});

/** A user without rights, as which root tries to read: root may read all files. */
const nobody = 65_534;

t.test('a file that may not be read is refused', async (t) => {
  const path = join(t.testdir({ 'secret.txt': 'secret' }), 'secret.txt');
  chmodSync(path, 0);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  const reading = readLocalFile(path, limit).finally(() => isRoot && process.seteuid?.(0));
  await t.rejects(reading, { code: 'invalid_input', message: `'${path}' can't be read: permission denied` });
});

t.test('a name is sent, and a refusal is written, without control characters and on one line', async (t) => {
  t.equal(localName('/tmp/a\u001B[31m\nhint: b\u202E.txt'), 'a hint: b.txt');
  t.equal(localName('/tmp/\u0007'), 'file');
  await t.rejects(readLocalFile('/nowhere/a\nb\u001B[2J', limit), { message: "'/nowhere/a b' can't be read: there is no such file" });
});

t.test('a path may begin at the home folder', (t) => {
  t.equal(expandHome('~/a/b'), join(homedir(), 'a/b'));
  t.equal(expandHome('a/~/b'), 'a/~/b');
  t.end();
});
