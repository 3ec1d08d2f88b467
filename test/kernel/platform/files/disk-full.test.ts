import { writeFile } from 'node:fs/promises';
import t from 'tap';
import { asDiskFull } from '../../../../kernel/core/invoke/disk-full.js';
import { failData } from '../../../../kernel/platform/data/failures.js';

const skip = process.platform === 'linux' ? false : 'needs /dev/full';

t.test('a full disk is recognised, however its error is wrapped', { skip }, async (t) => {
  const thrown: Error = (await writeFile('/dev/full', 'x').catch((fault: Error) => fault)) as Error;
  const told = { code: 'disk_full', status: 503, retry_after: 10 };
  t.match(asDiskFull(thrown), told);
  t.match(asDiskFull(new Error('The archive could not be written', { cause: thrown })), told);
  t.match(asDiskFull(Object.assign(new Error('Invalid multipart payload format'), { data: thrown })), told, 'the error is wrapped by hapi');
});

t.test('a full disk of a database is recognised', async (t) => {
  const full = (code: string) => Object.assign(new Error('full'), { code });
  const explained = failData('database_unavailable', "The database can't be written", { cause: full('SQLITE_FULL') });
  t.match(asDiskFull(explained), { code: 'disk_full' });
  t.match(
    asDiskFull(Object.assign(new Error('full'), { parent: full('53100') })),
    { code: 'disk_full' },
    'the error is wrapped by Sequelize',
  );
  t.equal(asDiskFull(Object.assign(new Error('twice'), { parent: full('23505') })), undefined);
});

t.test('nothing else is recognised as a full disk', async (t) => {
  t.equal(asDiskFull(await writeFile('/dev/null/x', '').catch((fault: unknown) => fault)), undefined);
  t.equal(asDiskFull('ENOSPC'), undefined);
});
