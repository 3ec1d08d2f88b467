import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Message } from '../../../../extensions/chat/contract.js';
import type { BackupReport } from '../../../../kernel/contract/system.js';
import { restoreBackup } from '../../../../kernel/platform/backup/restore.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { freshPostgres } from '../../../helpers/databases.js';
import { becomes } from '../../../helpers/eventually.js';
import { callerOf, ownExtension, type TestPlatform, temporaryFolder } from '../../../helpers/platform.js';
import { rowsIn } from '../../../kernel/platform/backup/world.js';
import { administrator, type PlatformClient, someone } from '../world.js';
import { upload } from './uploads.js';

const options = { extensions: ['members', 'chat', 'agents'].map(ownExtension) };

/** A file that a message names, and its bytes. */
interface SentFile {
  id: string;
  sha256: string;
  message_id: string;
  session_id: string;
  bytes: Buffer;
}

async function send(client: PlatformClient, name: string, size = 200_000): Promise<SentFile> {
  const bytes = randomBytes(size);
  const { id, sha256 } = await upload(client, name, bytes);
  return { ...(await client.chat.send({ content: '', files: [id], target_type: '' })), id, sha256, bytes };
}

type Place = Pick<TestPlatform, 'data_dir' | 'database_url'>;

/** Lists the files below a folder. Folders may be removed meanwhile, such as those in which a process behind walls sees its files. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return [...files, ...(await Promise.all(folders.map(filesIn))).flat()];
}

/** The columns that have the hash of a file. */
const hashes = { chat_files: 'hash', kernel_blobs: 'hash', kernel_blob_chunks: 'hash', kernel_blob_holders: 'hash' };

/** Returns the tables and files, other than backups, that have something of a file's content. */
async function placesOf({ sha256, bytes }: SentFile, platform: Place): Promise<string[]> {
  const rows = await rowsIn(platform, hashes);
  const found = [...rows].filter(([, each]) => each.some((row) => row.includes(sha256))).map(([table]) => table);
  for (const path of await filesIn(platform.data_dir)) {
    if (path.includes('/backups/')) continue;
    // Another file may be removed meanwhile.
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    if (content.includes(bytes.subarray(0, 500))) found.push(path);
  }
  return found;
}

async function backup({ kernel, data_dir }: TestPlatform): Promise<string> {
  const { body } = await kernel.invoke('maintenance.backup', {}, callerOf());
  return join(data_dir, 'backups', (body as BackupReport).file);
}

async function removes(t: Test, platform: TestPlatform): Promise<void> {
  const ways: Record<string, (file: SentFile, client: PlatformClient & { id: number }) => Promise<unknown>> = {
    'its message': ({ message_id }, client) => client.messages.delete({ message_id }),
    'its session': ({ session_id }, client) => client.sessions.delete({ session_id }),
    'the member': (_file, { id }) => administrator(platform).members.delete({ id }),
  };
  for (const [way, remove] of Object.entries(ways)) {
    const { http, id } = await someone(t, platform);
    const file = await send(http, 'secret.bin');
    // On PostgreSQL it is cached from now on.
    await http.files.get({ file_id: file.id });
    t.ok((await placesOf(file, platform)).length >= 4, 'the test finds it');
    t.ok((await readFile(await backup(platform))).includes(file.bytes));
    await remove(file, { ...http, id });
    await becomes(t, () => placesOf(file, platform), []);
    t.notOk((await readFile(await backup(platform))).includes(file.bytes.subarray(0, 500)), `${way} was deleted`);
  }
}

async function removesDuringBackup(t: Test, platform: TestPlatform): Promise<void> {
  const { http } = await someone(t, platform);
  const files: SentFile[] = [];
  for (let n = 0; n < 8; n += 1) files.push(await send(http, `${n}.bin`, 1_500_000));
  const remove = async () => {
    for (const { message_id } of files.slice(1)) await http.messages.delete({ message_id });
  };
  const [archive] = await Promise.all([backup(platform), remove()]);
  for (const file of files.slice(1)) await becomes(t, () => placesOf(file, platform), []);
  t.same((await http.files.get({ file_id: files[0]?.id as string })).bytes, files[0]?.bytes);
  await assertWhole(t, archive, platform);
}

t.test('a removed file', (t) =>
  eachPlatform(t, options, async (t, platform) => {
    await t.test('its bytes go soon, also from backups made later, however it is deleted', (t) => removes(t, platform));
    await t.test('a backup made meanwhile has each file that its messages name, and delays no removal', (t) =>
      removesDuringBackup(t, platform),
    );
  }),
);

/** Restores an archive and asserts that there is all that its messages name, and nothing else. */
async function assertWhole(t: Test, archive: string, { database_url }: TestPlatform): Promise<void> {
  const isSqlite = database_url.startsWith('sqlite:');
  const place = { data_dir: await temporaryFolder(t), database_url: isSqlite ? 'sqlite:' : await freshPostgres() };
  t.same((await restoreBackup(archive, place)).missing_blobs, []);
  const rows = await rowsIn(place);
  const of = <Row>(table: string) => (rows.get(table) ?? []).map((row) => JSON.parse(row) as Row);
  const messages = of<{ files: string | Message['files'] }>('chat_messages');
  const named = messages.flatMap(({ files }) => (typeof files === 'string' ? (JSON.parse(files) as Message['files']) : files));
  const stored = of<{ id: string; hash: string }>('chat_files');
  t.ok(named.length > 0);
  t.same(named.map(({ id }) => id).sort(), stored.map(({ id }) => id).sort());
  t.same(
    of<{ file_id: string }>('chat_message_files')
      .map(({ file_id }) => file_id)
      .sort(),
    stored.map(({ id }) => id).sort(),
  );
  const hashes = isSqlite
    ? (await readdir(join(place.data_dir, 'blobs'), { recursive: true })).map((name) => name.replace('/', ''))
    : of<{ hash: string }>('kernel_blob_chunks').map(({ hash }) => hash);
  t.same([...new Set(hashes.filter((hash) => hash.length === 64))].sort(), stored.map(({ hash }) => hash).sort());
}
