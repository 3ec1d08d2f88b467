import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openBlobs } from '../../../kernel/data/blobs.js';
import { eachDatabase, systemClock, temporaryFolder } from '../../helpers/databases.js';

const clock = systemClock;

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The files of a folder, without its folders. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

t.test('bytes of any size come back by their hash', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = openBlobs(data, { data_dir, clock });
    for (const size of [0, 1, 1024 * 1024, 1024 * 1024 + 1, 3 * 1024 * 1024 + 5]) {
      const bytes = randomBytes(size);
      const hash = await blobs.put(bytes);
      t.equal(hash, hashOf(bytes));
      t.ok((await blobs.get(hash))?.equals(bytes), `${size} bytes`);
      t.ok((await blobs.get(hash))?.equals(bytes), `${size} bytes once more`);
    }
  }),
);

t.test('what is stored twice is there once, also at the same time; what was deleted is gone', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = openBlobs(data, { data_dir, clock });
    const bytes = randomBytes(2_000_000);
    const hashes = await Promise.all([blobs.put(bytes), blobs.put(bytes), blobs.put(bytes)]);
    t.strictSame(new Set(hashes).size, 1);
    t.ok((await blobs.get(hashOf(bytes)))?.equals(bytes));
    await blobs.delete(hashOf(bytes));
    t.equal(await blobs.get(hashOf(bytes)), undefined);
    await blobs.delete(hashOf(bytes));
    t.strictSame(await filesIn(data_dir).then((files) => files.filter((file) => file.includes('blob'))), []);
  }),
);

t.test('another instance sees what this one stored', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const bytes = randomBytes(1_500_000);
    await openBlobs(data, { data_dir: place.data_dir, clock }).put(bytes);
    const data_dir = data.dialect === 'postgres' ? await temporaryFolder(t) : place.data_dir;
    const other = openBlobs(data.dialect === 'postgres' ? await place.open() : data, { data_dir, clock });
    t.ok((await other.get(hashOf(bytes)))?.equals(bytes));
  }),
);

t.test('damaged content is never given out', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = openBlobs(data, { data_dir, clock });
    const bytes = randomBytes(10_000);
    const hash = await blobs.put(bytes);
    if (data.dialect === 'postgres') await data.facade('kernel').run('UPDATE kernel_blob_chunks SET content = $1', [Buffer.from('other')]);
    else await writeFile((await filesIn(join(data_dir, 'blobs')))[0] ?? '', 'other');
    await t.rejects(blobs.get(hash), { code: 'blob_corrupt', status: 500, message: new RegExp(hash) });
  }),
);

t.test('on PostgreSQL a folder holds what was read, within a bound, and damage in it does no harm', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    if (data.dialect === 'sqlite') return;
    const blobs = openBlobs(data, { data_dir, clock, cache_bytes: 25_000 });
    const all = Array.from({ length: 5 }, () => randomBytes(10_000));
    for (const bytes of all) t.ok((await blobs.get(await blobs.put(bytes)))?.equals(bytes));
    const kept = await filesIn(join(data_dir, 'blob-cache'));
    t.equal(kept.length, 2);
    for (const file of kept) await writeFile(file, 'other');
    for (const bytes of all) t.ok((await blobs.get(hashOf(bytes)))?.equals(bytes));
  }),
);

t.test('only a hash is taken for a hash', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = openBlobs(data, { data_dir, clock });
    for (const hash of ['', 'sha256:..', `sha256:${'A'.repeat(64)}`, `sha256:../${'a'.repeat(61)}`, 'a'.repeat(64)])
      await t.rejects(blobs.get(hash), /looks like sha256/);
    t.equal(await blobs.get(`sha256:${'a'.repeat(64)}`), undefined);
  }),
);
