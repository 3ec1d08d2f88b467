import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { BackupReport } from '../../../../kernel/contract/system.js';
import { restoreBackup } from '../../../../kernel/platform/backup/restore.js';
import { dataUrl, png } from '../../../extensions/chat/pictures.js';
import { login, someone } from '../../../extensions/chat/world.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { freshPostgres } from '../../../helpers/databases.js';
import {
  callerOf,
  ownExtension,
  type PlatformOptions,
  startPlatform,
  type TestPlatform,
  temporaryFolder,
} from '../../../helpers/platform.js';
import { difference } from '../../../operations/bad-input/rows.js';
import { rowsIn } from '../backup/world.js';

const extensions = ['members', 'chat', 'agents'].map(ownExtension);
const secret_key = 'a master key for tests, 32 chars';

/** The row of the backup itself comes after it; and events are delivered, and on PostgreSQL get other numbers. */
const later = [/^kernel_audit has lost .*maintenance\.backup/, /^sqlite_sequence .*kernel_audit/, /^kernel_(outbox|listeners) /];

type Settings = NonNullable<PlatformOptions['settings']>;

async function emptyTarget(t: Test, { database_url }: TestPlatform): Promise<{ data_dir: string; database_url: string }> {
  const data_dir = await temporaryFolder(t);
  return { data_dir, database_url: database_url.startsWith('sqlite:') ? 'sqlite:' : await freshPostgres() };
}

t.test('a platform restored elsewhere serves its data to its owners', (t) =>
  eachPlatform(t, { extensions }, async (t, platform) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const { session_id } = await ada.http.contacts.start({ member_id: bob.id });
    const bytes = png(3, 4, 5);
    const { message_id } = await ada.http.chat.send({
      content: 'harbour cranes',
      images: [{ url: dataUrl(bytes), mime_type: 'image/png' }],
      session_id,
    });
    const { body } = await platform.kernel.invoke('maintenance.backup', {}, callerOf());
    const archive = join(platform.data_dir, 'backups', (body as BackupReport).file);
    t.match(body, { blobs: 1, missing_blobs: 0 });
    const before = await rowsIn(platform);

    const target = await emptyTarget(t, platform);
    await restoreBackup(archive, target);
    const found = difference(before, await rowsIn(target));
    t.same(
      found.filter((line) => !later.some((pattern) => pattern.test(line))),
      [],
    );

    const settings: Settings = { ...target };
    const postgres = target.database_url !== 'sqlite:';
    await t.rejects(startPlatform(t, { extensions, settings }), { code: 'secret_key_missing' }, 'without the master key it does not start');
    if (postgres) settings.secret_key = secret_key;
    else await copyFile(join(platform.data_dir, 'secret.key'), join(target.data_dir, 'secret.key'));
    await platform.kernel.close();
    const there = await startPlatform(t, { extensions, settings });
    const again = await login(t, there, bob.name);
    const message = await again.messages.get({ message_id });
    t.match(message, { content: 'harbour cranes', sender_id: ada.id });
    const image = await fetch(`${there.url}${message.images[0]?.url}`, { headers: { authorization: `Bearer ${bob.token}` } });
    t.equal(image.status, 200, 'an earlier token is valid');
    t.ok(Buffer.from(await image.arrayBuffer()).equals(bytes));
    t.equal((await again.messages.search({ q: 'cranes', limit: 10 })).length, 1, 'the search index was restored');
    const next = await someone(t, there);
    t.ok(next.id > bob.id, 'no number is assigned twice');
    const sent = await again.chat.send({ content: 'and on it goes', session_id });
    t.equal((await again.messages.list({ session_id, limit: 10 })).at(-1)?.id, sent.message_id);
    const { body: second } = await there.kernel.invoke('maintenance.backup', {}, callerOf());
    t.match(second, { blobs: 1, missing_blobs: 0 }, 'the restored platform can be backed up');
  }),
);
