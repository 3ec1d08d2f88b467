import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Blobs } from '../../../../kernel/contract/index.js';
import type { KernelModels } from '../../../../kernel/core/models.js';
import { BlobRows } from '../../../../kernel/platform/data/blob-rows-sql.js';
import { type BlobStore, openBlobs } from '../../../../kernel/platform/data/blobs.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, systemClock, temporaryFolder } from '../../../helpers/databases.js';

let shift_ms = 0;
const now = () => systemClock.now() + shift_ms;
const clock = { now, iso: () => new Date(now()).toISOString() };
const log = { warn: (message: string, fields?: object) => t.fail(`${message} ${JSON.stringify(fields)}`) };

const storeOf = (data: Data, data_dir: string): BlobStore => openBlobs(data, { data_dir, clock, log });
const blobsOf = (data: Data, data_dir: string): Blobs => storeOf(data, data_dir).of('chat');

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** The files of a folder, without its folders. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

t.test('bytes of any size are returned by their hash', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = blobsOf(data, data_dir);
    for (const size of [0, 1, 1024 * 1024, 1024 * 1024 + 1, 3 * 1024 * 1024 + 5]) {
      const bytes = randomBytes(size);
      const hash = await blobs.put(bytes);
      t.equal(hash, hashOf(bytes));
      t.ok((await blobs.get(hash))?.equals(bytes), `${size} bytes`);
      t.ok((await blobs.get(hash))?.equals(bytes), `${size} bytes once more`);
    }
  }),
);

t.test('the same content is stored once, even concurrently', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = blobsOf(data, data_dir);
    const bytes = randomBytes(2_000_000);
    const hashes = await Promise.all([blobs.put(bytes), blobs.put(bytes), blobs.put(bytes)]);
    t.strictSame(new Set(hashes).size, 1);
    t.ok((await blobs.get(hashOf(bytes)))?.equals(bytes));
    t.equal((await data.facade('kernel').rows('SELECT hash FROM kernel_blobs')).length, 1);
  }),
);

t.test('a blob is deleted after its last holder of any extension releases it', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const store = storeOf(data, data_dir);
    const [chat, other] = [store.of('chat'), store.of('other')];
    const bytes = randomBytes(1_200_000);
    const hash = await chat.put(bytes);
    await chat.hold('one', [hash, hash]);
    await chat.hold('two', [hash]);
    await other.hold('one', [hash]);
    await chat.release(['one', 'two', 'three']);
    await store.dispose();
    t.ok((await chat.get(hash))?.equals(bytes), 'the other extension still uses it');
    await t.rejects(
      data.facade('kernel').transaction(async () => {
        await other.release(['one']);
        throw new Error('back');
      }),
      /back/,
    );
    await store.dispose();
    t.ok((await chat.get(hash))?.equals(bytes), 'a rolled-back transaction releases nothing');
    await other.release(['one']);
    await store.dispose();
    t.equal(await chat.get(hash), undefined);
    t.strictSame(
      (await filesIn(data_dir)).filter((file) => file.includes('blob')),
      [],
    );
    await t.rejects(chat.hold('late', [hash]), { code: 'blob_missing' });
    t.equal(await chat.put(bytes), hash);
    await chat.hold('late', [hash]);
    t.ok((await chat.get(hash))?.equals(bytes), 'the content can be stored again');
  }),
);

t.test('concurrent holds and releases never delete a held blob', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const other_dir = data.dialect === 'postgres' ? await temporaryFolder(t) : place.data_dir;
    const one = storeOf(data, place.data_dir);
    const two = data.dialect === 'postgres' ? storeOf(await place.open(), other_dir) : one;
    const bytes = randomBytes(1_100_000);
    const hash = hashOf(bytes);
    const missing = (fault: { code?: string }) => {
      if (fault.code !== 'blob_missing') throw fault;
      return 'missing' as const;
    };
    const keep = async (blobs: Blobs, holder: string): Promise<void> => {
      await blobs.put(bytes);
      if ((await blobs.hold(holder, [hash]).catch(missing)) === 'missing') await keep(blobs, holder);
    };
    const live = async (store: BlobStore, name: string) => {
      const blobs = store.of(name);
      for (let turn = 0; turn < 25; turn += 1) {
        await keep(blobs, `${turn}`);
        t.ok((await blobs.get(hash))?.equals(bytes), `${name} has the blob in round ${turn}`);
        await blobs.release([`${turn}`]);
      }
    };
    await Promise.all([live(one, 'a'), live(two, 'b'), live(one, 'c'), live(two, 'd')]);
    await Promise.all([one.dispose(), two.dispose()]);
    t.equal(
      await one
        .of('a')
        .get(hash)
        .then((found) => data.dialect === 'sqlite' && found),
      data.dialect === 'sqlite' ? undefined : false,
    );
    t.strictSame(await data.facade('kernel').rows('SELECT hash FROM kernel_blobs'), []);
  }),
);

t.test('a blob that is about to be held survives its release by another holder', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const store = storeOf(data, data_dir);
    const blobs = store.of('chat');
    const bytes = randomBytes(1_000);
    const hash = await blobs.put(bytes);
    await blobs.hold('old', [hash]);
    const held = gate();
    const holding = data.facade('kernel').transaction(async () => {
      await blobs.hold('new', [hash]);
      held.open();
      // The removal has begun, and waits for this transaction's end.
      await sleep(300);
    });
    await held.opened;
    await Promise.all([holding, blobs.release(['old'])]);
    await store.dispose();
    t.ok((await blobs.get(hash))?.equals(bytes));
  }),
);

t.test('a blob stored and held during a removal stays with its holder', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    // SQLite lets nobody in between.
    if (data.dialect === 'sqlite') return;
    const db = data.facade('kernel');
    const blobs = storeOf(data, data_dir).of('chat');
    const hash = hashOf(Buffer.from('late'));
    const [looked, held] = [gate(), gate()];
    const slow = Object.assign(Object.create(data.models.blobs) as KernelModels['blobs'], {
      findOne: async (options: object) => {
        const row = await data.models.blobs.findOne(options);
        looked.open();
        await held.opened;
        return row;
      },
    });
    const dropping = new BlobRows({ facade: () => db, models: { ...data.models, blobs: slow } }, clock).drop(hash.slice(7));
    await looked.opened;
    await blobs.put(Buffer.from('late'));
    await db.transaction(async () => {
      await blobs.hold('late', [hash]);
      held.open();
      // The removal goes on, and would wait for this transaction's end.
      await sleep(300);
    });
    t.equal(await dropping, false);
    t.ok(await blobs.get(hash));
  }),
);

t.test('blobs without a holder are swept after an hour, and files without a row too', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    t.teardown(() => {
      shift_ms = 0;
    });
    const store = storeOf(data, data_dir);
    const blobs = store.of('chat');
    const [orphan, held, fresh, lost] = [randomBytes(10), randomBytes(20), randomBytes(30), randomBytes(40)];
    for (const bytes of [orphan, held, lost]) await blobs.get(await blobs.put(bytes));
    await blobs.hold('somebody', [hashOf(held)]);
    await data.facade('kernel').run('DELETE FROM kernel_blobs WHERE hash = $1', [hashOf(lost).slice(7)]);
    await store.sweep();
    t.equal((await filesIn(data_dir)).filter((file) => file.includes('blob')).length, 3, 'nothing is swept before its time');
    shift_ms = 2 * 3_600_000;
    await blobs.put(fresh);
    await store.sweep();
    t.equal(await blobs.get(hashOf(orphan)), undefined);
    t.equal(await blobs.get(hashOf(lost)), undefined);
    t.ok((await blobs.get(hashOf(held)))?.equals(held));
    t.ok((await blobs.get(hashOf(fresh)))?.equals(fresh));
  }),
);

t.test('storing a blob within a transaction is rejected', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    await t.rejects(
      data.facade('kernel').transaction(() => blobsOf(data, data_dir).put(randomBytes(1))),
      /before the transaction/,
    );
  }),
);

t.test('a blob stored by one instance can be read by another', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const bytes = randomBytes(1_500_000);
    await blobsOf(data, place.data_dir).put(bytes);
    const data_dir = data.dialect === 'postgres' ? await temporaryFolder(t) : place.data_dir;
    const other = blobsOf(data.dialect === 'postgres' ? await place.open() : data, data_dir);
    t.ok((await other.get(hashOf(bytes)))?.equals(bytes));
  }),
);

t.test('damaged content is never returned', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = blobsOf(data, data_dir);
    const bytes = randomBytes(10_000);
    const hash = await blobs.put(bytes);
    if (data.dialect === 'postgres') await data.facade('kernel').run('UPDATE kernel_blob_chunks SET content = $1', [Buffer.from('other')]);
    else await writeFile((await filesIn(join(data_dir, 'blobs')))[0] ?? '', 'other');
    await t.rejects(blobs.get(hash), { code: 'blob_corrupt', status: 500, message: new RegExp(hash) });
  }),
);

t.test('on PostgreSQL each instance removes from its cache what another one has deleted', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    if (data.dialect === 'sqlite') return;
    const other_dir = await temporaryFolder(t);
    const [one, other] = [storeOf(data, data_dir), storeOf(data, other_dir)];
    const hashes: string[] = [];
    for (const text of ['kept', 'deleted']) {
      const hash = await one.of('chat').put(Buffer.from(text));
      await one.of('chat').hold(text, [hash]);
      await other.of('chat').get(hash);
      hashes.push(hash);
    }
    await one.of('chat').release(['deleted']);
    await one.dispose();
    t.equal((await filesIn(other_dir)).length, 2);
    await other.tidyCache();
    t.match(await filesIn(other_dir), [new RegExp(`${hashes[0]?.slice(-62)}$`)]);
  }),
);

t.test('on PostgreSQL a limited folder caches blobs, and damage in it is harmless', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    if (data.dialect === 'sqlite') return;
    const blobs = openBlobs(data, { data_dir, clock, log, cache_bytes: 25_000 }).of('chat');
    const all = Array.from({ length: 5 }, () => randomBytes(10_000));
    for (const bytes of all) t.ok((await blobs.get(await blobs.put(bytes)))?.equals(bytes));
    const kept = await filesIn(join(data_dir, 'blob-cache'));
    t.equal(kept.length, 2);
    for (const file of kept) await writeFile(file, 'other');
    for (const bytes of all) t.ok((await blobs.get(hashOf(bytes)))?.equals(bytes));
  }),
);

t.test('only hashes are accepted as hashes', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    const blobs = blobsOf(data, data_dir);
    for (const hash of ['', 'sha256:..', `sha256:${'A'.repeat(64)}`, `sha256:../${'a'.repeat(61)}`, 'a'.repeat(64)])
      await t.rejects(blobs.get(hash), /looks like sha256/);
    t.equal(await blobs.get(`sha256:${'a'.repeat(64)}`), undefined);
  }),
);
