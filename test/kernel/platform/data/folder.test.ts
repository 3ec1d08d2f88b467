import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { openFolder } from '../../../../kernel/platform/data/folder.js';
import { temporaryFolder } from '../../../helpers/databases.js';

const holder = fileURLToPath(new URL('../../../fixtures/folder-holder.js', import.meta.url));

/** Another process that has the folder. */
async function otherProcess(t: Test, path: string) {
  const child = fork(holder, [path], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

t.test('a new folder is accessible only to its owner', async (t) => {
  const path = join(await temporaryFolder(t), 'deep', 'data');
  const folder = await openFolder({ path, lock: false });
  t.equal((await stat(path)).mode & 0o777, 0o700);
  t.strictSame(await readdir(path), []);
  await folder.claimPid();
  t.equal(await readFile(join(path, 'platform.pid'), 'utf8'), `${process.pid}\n`);
  await folder.dispose();
  t.strictSame(await readdir(path), []);
});

t.test('a folder that cannot be created or written is rejected with its path', async (t) => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  await t.rejects(openFolder({ path: join(file, 'data'), lock: true }), {
    code: 'data_dir_unwritable',
    status: 503,
    message: new RegExp(file),
  });
  await t.rejects(openFolder({ path: '/proc/platform', lock: true }), {
    code: 'data_dir_unwritable',
    message: /\/proc\/platform can't be written/,
  });
});

t.test('a folder in use is rejected, also within one process, and free after disposal', async (t) => {
  const path = await temporaryFolder(t);
  const first = await openFolder({ path, lock: true });
  await t.rejects(openFolder({ path, lock: true }), {
    code: 'data_dir_locked',
    message: `The data folder ${path} is in use by process ${process.pid}`,
  });
  await first.dispose();
  const second = await openFolder({ path, lock: true });
  await second.dispose();
});

t.test('a folder without a lock can be shared', async (t) => {
  const path = await temporaryFolder(t);
  const folders = [await openFolder({ path, lock: false }), await openFolder({ path, lock: false })];
  for (const folder of folders) await folder.dispose();
});

t.test('another process holds the folder until it is killed, whatever it left', async (t) => {
  const path = await temporaryFolder(t);
  const child = await otherProcess(t, path);
  const expected = { code: 'data_dir_locked', message: `The data folder ${path} is in use by process ${child.pid}` };
  await t.rejects(openFolder({ path, lock: true }), expected);
  await t.rejects(openFolder({ path, lock: true }), expected, 'a rejected claim does not affect the holder');
  t.equal(await readFile(join(path, 'platform.pid'), 'utf8'), `${child.pid}\n`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const folder = await openFolder({ path, lock: true });
  t.equal(await readFile(join(path, 'platform.pid'), 'utf8'), `${process.pid}\n`);
  await folder.dispose();
});

t.test('a child of the holder does not keep the folder after the holder’s death', async (t) => {
  const path = await temporaryFolder(t);
  const child = await otherProcess(t, path);
  const heir = once(child, 'message') as Promise<[{ heir: number }]>;
  child.send('spawn');
  const [{ heir: pid }] = await heir;
  t.teardown(() => process.kill(pid, 'SIGKILL'));
  child.kill('SIGKILL');
  await once(child, 'exit');
  process.kill(pid, 0);
  await (await openFolder({ path, lock: true })).dispose();
});
