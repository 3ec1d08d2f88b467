import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { claimFile } from '../../../../kernel/platform/data/claim-file.js';
import { temporaryFolder } from '../../../helpers/databases.js';

const taken = { code: 'database_in_use', status: 503, message: /in use by another instance: SQLite allows one instance only/ };

t.test('only one instance uses a file at a time, under any of its names', async (t) => {
  const folder = await temporaryFolder(t);
  const [file, other] = [join(folder, 'own.db'), join(folder, 'other.db')];
  await writeFile(file, '');
  await symlink(file, other);
  await symlink(folder, join(folder, 'again'));
  const first = await claimFile(file);
  // Each waits a moment for it.
  await Promise.all([file, other, join(folder, 'again', 'own.db')].map((name) => t.rejects(claimFile(name), taken, name)));
  const beside = await claimFile(join(folder, 'beside.db'));
  await first.dispose();
  await (await claimFile(other)).dispose();
  await beside.dispose();
});

t.test("a missing file can be claimed, but not one that can't be created", async (t) => {
  const folder = await temporaryFolder(t);
  await symlink(folder, join(folder, 'again'));
  const first = await claimFile(join(folder, 'new.db'));
  await t.rejects(claimFile(join(folder, 'again', 'new.db')), taken);
  await first.dispose();
  await t.rejects(claimFile(join(folder, 'none', 'new.db')), { code: 'data_dir_unwritable', message: /new\.db can't be locked/ });
});
