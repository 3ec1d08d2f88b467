import { writeFile } from 'node:fs/promises';
import t from 'tap';
import { asDiskFull } from '../../kernel/disk-full.js';

const skip = process.platform === 'linux' ? false : 'needs /dev/full';

t.test('a full disk is told as one, however what it threw is wrapped', { skip }, async (t) => {
  const thrown: Error = (await writeFile('/dev/full', 'x').catch((fault: Error) => fault)) as Error;
  const told = { code: 'disk_full', status: 503, retry_after: 10 };
  t.match(asDiskFull(thrown), told);
  t.match(asDiskFull(new Error('The archive could not be written', { cause: thrown })), told);
  t.match(asDiskFull(Object.assign(new Error('Invalid multipart payload format'), { data: thrown })), told, 'as hapi wraps it');
});

t.test('nothing else is', async (t) => {
  t.equal(asDiskFull(await writeFile('/dev/null/x', '').catch((fault: unknown) => fault)), undefined);
  t.equal(asDiskFull('ENOSPC'), undefined);
});
