import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { callerOf, startPlatform, temporaryFolder } from '../helpers/platform.js';
import { shellFor } from './shell.js';

t.test('a backup is restored only into an empty folder, and an altered one is rejected', async (t) => {
  const platform = await startPlatform(t, { listen: false, background: false });
  const { body } = await platform.kernel.invoke('maintenance.backup', {}, callerOf());
  const file = join(platform.data_dir, 'backups', (body as { file: string }).file);
  await platform.kernel.close();

  const folder = await temporaryFolder(t);
  const shell = await shellFor(t, { PLATFORM_DATA_DIR: join(folder, 'restored') });
  const restored = await shell.run(['restore', file]);
  t.same([restored.code, restored.stderr.includes('secret.key')], [0, true], restored.stderr);
  t.match(restored.stdout, /^Restored the backup of 20\S+: \d+ rows in \d+ tables\.\n$/);
  await copyFile(join(platform.data_dir, 'secret.key'), join(folder, 'restored', 'secret.key'));
  const members = await shell.run(['member', 'list']);
  t.match(members.stdout, /\badmin\b/);

  t.match(await shell.run(['restore', file]), { code: 5, stderr: /platform: / }, 'a folder with data is rejected');
  const low = await shellFor(t, { PLATFORM_DATA_DIR: join(folder, 'low'), PLATFORM_MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) });
  const refused = await low.run(['restore', file]);
  t.match(
    [refused.code, refused.stderr],
    [1, /too little free space.*PLATFORM_MIN_FREE_BYTES/s],
    'a disk with too little space is rejected',
  );
  const other = await shellFor(t, { PLATFORM_DATA_DIR: join(folder, 'other') });
  const bytes = await readFile(file);
  await writeFile(join(folder, 'altered.tar'), bytes.fill(88, bytes.length >> 1, (bytes.length >> 1) + 8));
  t.match(await other.run(['restore', join(folder, 'altered.tar')]), { code: 2, stderr: /platform: / });
  t.match(await other.run(['restore', join(folder, 'none.tar')]), { code: 3 });
});
