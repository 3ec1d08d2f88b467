import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import t, { type Test } from 'tap';
import { extract, pack } from 'tar-stream';
import { verifyBackup } from '../../../../kernel/platform/backup/archive-reader.js';
import { ArchiveWriter } from '../../../../kernel/platform/backup/archive-writer.js';
import type { Manifest } from '../../../../kernel/platform/backup/manifest.js';
import { restoreBackup } from '../../../../kernel/platform/backup/restore.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { emptyPlace, installation, never } from './world.js';

const manifest: Omit<Manifest, 'entries'> = {
  format: 'platform-backup',
  version: 1,
  server: '1.0.0',
  dialect: 'sqlite',
  created_at: '2026-11-20T13:30:00.000Z',
  needs_secret_key: true,
  migrations: {},
  tables: {},
  blobs: 0,
  missing_blobs: [],
};

async function archiveOf(t: Test, entries: readonly [string, Buffer][], change: Partial<Manifest> = {}): Promise<string> {
  const file = join(await temporaryFolder(t), 'archive.tar');
  const writer = await ArchiveWriter.create({ file, now: 0, signal: never() });
  for (const [name, bytes] of entries) await writer.add({ name, bytes: bytes.byteLength, content: [bytes] });
  await writer.finish({ ...manifest, ...change });
  await writer.close();
  return file;
}

/** The same archive with its entries changed, and nothing else made to fit. */
async function rewritten(t: Test, file: string, change: (entries: [string, Buffer][]) => [string, Buffer][]): Promise<string> {
  const reading = extract();
  const entries: [string, Buffer][] = [];
  reading.end(await readFile(file));
  for await (const entry of reading) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
    entries.push([entry.header.name, Buffer.concat(chunks)]);
  }
  const changed = join(await temporaryFolder(t), 'changed.tar');
  const writing = pack();
  for (const [name, bytes] of change(entries)) writing.entry({ name }, bytes);
  writing.finalize();
  await pipeline(writing as unknown as NodeJS.ReadableStream, createWriteStream(changed));
  return changed;
}

t.test('the contents of an archive are listed', async (t) => {
  const bytes = randomBytes(300_000);
  const file = await archiveOf(t, [
    ['files/x/a', bytes],
    ['files/x/empty', Buffer.alloc(0)],
  ]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { entries, ...rest } = await verifyBackup(file);
  t.same(rest, manifest);
  t.match(entries, [
    { name: 'files/x/a', bytes: 300_000, sha256 },
    { name: 'files/x/empty', bytes: 0 },
  ]);
});

t.test('a flipped bit anywhere in the content is detected', async (t) => {
  const content = randomBytes(200_000);
  const file = await archiveOf(t, [['database.sqlite', content]]);
  const whole = await readFile(file);
  const begin = 512;
  const padded = begin + Math.ceil(content.byteLength / 512) * 512;
  const places = [begin, begin + 1, begin + 100_000, begin + content.byteLength - 1, 0, 50, 130, 156, padded, padded + 512, padded + 700];
  for (const at of [...places, whole.byteLength - 2048, whole.byteLength - 1536, whole.byteLength - 1, whole.byteLength - 1024]) {
    const altered = Buffer.from(whole);
    altered[at] = (altered[at] as number) ^ 1;
    await writeFile(file, altered);
    await t.rejects(verifyBackup(file), { code: /^backup_(damaged|format_unknown)$/ }, `byte ${at} of ${whole.byteLength}`);
  }
});

t.test('truncation at any point is detected', async (t) => {
  const file = await archiveOf(t, [
    ['database.sqlite', randomBytes(20_000)],
    ['files/x/a', randomBytes(10)],
  ]);
  const whole = await readFile(file);
  for (const length of [
    0,
    1,
    511,
    512,
    1024,
    5_000,
    20_992,
    21_504,
    whole.byteLength - 1024,
    whole.byteLength - 512,
    whole.byteLength - 1,
  ]) {
    await writeFile(file, whole.subarray(0, length));
    await t.rejects(verifyBackup(file), { code: 'backup_damaged' }, `${length} of ${whole.byteLength} bytes`);
  }
  // Cut between entries, and closed as a tar is.
  for (const length of [20_992, whole.byteLength - 2048]) {
    await writeFile(file, Buffer.concat([whole.subarray(0, length), Buffer.alloc(1024)]));
    await t.rejects(verifyBackup(file), { code: 'backup_damaged' }, `${length} bytes and an end`);
  }
});

t.test('removed, added, reordered and renamed entries are detected', async (t) => {
  const file = await archiveOf(t, [
    ['files/x/a', Buffer.from('a')],
    ['files/x/b', Buffer.from('b')],
  ]);
  const changes: Record<string, (entries: [string, Buffer][]) => [string, Buffer][]> = {
    'taken away': ([, ...rest]) => rest,
    'the last taken away': (all) => all.toSpliced(1, 1),
    added: (all) => all.toSpliced(2, 0, ['files/x/c', Buffer.from('c')]),
    'changed places': ([a, b, ...rest]) => [b as never, a as never, ...rest],
    'changed names': ([a, ...rest]) => [['files/x/z', a?.[1] as Buffer], ...rest],
    'added at the end': (all) => [...all, ['files/x/c', Buffer.from('c')]],
    'added after the manifest': (all) => all.toSpliced(3, 0, ['files/x/c', Buffer.from('c')]),
    'no hash': (all) => all.slice(0, -1),
    'a manifest that was altered': (all) =>
      all.map(([name, bytes]) => (name === 'manifest.json' ? [name, Buffer.concat([bytes, Buffer.from(' ')])] : [name, bytes])),
  };
  t.same((await verifyBackup(await rewritten(t, file, (all) => all))).entries.length, 2, 'the unchanged archive is valid');
  for (const [name, change] of Object.entries(changes)) {
    await t.rejects(verifyBackup(await rewritten(t, file, change)), { code: 'backup_damaged' }, name);
  }
});

t.test('files that are not archives, or of a later format, are rejected', async (t) => {
  const later = await archiveOf(t, [], { version: 2 });
  await t.rejects(verifyBackup(later), { code: 'backup_format_unknown', message: /version 2, and this program knows 1/ });
  await t.rejects(verifyBackup(await archiveOf(t, [], { format: 'other' as never })), { code: 'backup_format_unknown' });
  await t.rejects(verifyBackup(join(await temporaryFolder(t), 'none.tar')), { code: 'backup_not_found' });
  const noise = join(await temporaryFolder(t), 'noise.tar');
  await writeFile(noise, Buffer.concat([randomBytes(10_240), Buffer.alloc(1024)]));
  await t.rejects(verifyBackup(noise), { code: 'backup_format_unknown', message: /it is not a tar archive/ });
});

t.test('an entry that leads out of its folder is rejected, whatever the manifest lists', async (t) => {
  const names = [
    'files/../../x',
    '/etc/passwd',
    'files/./x',
    'files//x',
    'files/x/..',
    'secret.key',
    'platform.db',
    'blobs/xy',
    'tables/A/1',
  ];
  for (const name of names) {
    const file = await archiveOf(t, [[name, Buffer.from('x')]]);
    const target = await emptyPlace(t, { dialect: 'sqlite' });
    await t.rejects(restoreBackup(file, target), { code: 'backup_format_unknown' }, name);
    t.same(await readdir(target.data_dir), [], 'nothing was written');
  }
});

t.test('links in an archive are rejected', async (t) => {
  const file = join(await temporaryFolder(t), 'links.tar');
  const writing = pack();
  writing.entry({ name: 'files/x/a', type: 'symlink', linkname: '/etc' });
  writing.finalize();
  await pipeline(writing as unknown as NodeJS.ReadableStream, createWriteStream(file));
  await writeFile(file, Buffer.concat([await readFile(file), Buffer.alloc(1024)]));
  await t.rejects(verifyBackup(file), { code: 'backup_format_unknown' });
});

t.test('a damaged archive is not restored, and the target stays empty', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const here = installation(data, place);
    const own = here.blobs.of('chat');
    await own.hold('one', [await own.put(randomBytes(50_000))]);
    const { path } = await here.backup();
    const whole = await readFile(path);
    const at = whole.indexOf(data.dialect === 'sqlite' ? 'SQLite format 3' : 'secret_canary');
    const target = await emptyPlace(t, data);
    for (const damage of [at >= 0 ? at : 600, whole.byteLength - 1600]) {
      const altered = Buffer.from(whole);
      altered[damage] = (altered[damage] as number) ^ 4;
      await writeFile(path, altered);
      await t.rejects(restoreBackup(path, target), { code: 'backup_damaged' });
      t.same(await readdir(target.data_dir), []);
    }
    await writeFile(path, whole);
    await restoreBackup(path, target);
    const again = await openData({ url: target.database_url, data_dir: target.data_dir, clock: systemClock, log: silentLog });
    t.teardown(() => again.close());
    t.equal((await again.facade('kernel').rows('SELECT * FROM kernel_blobs')).length, 1, 'the complete archive is restored');
  }),
);
