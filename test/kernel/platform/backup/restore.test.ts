import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Migration } from '../../../../kernel/contract/index.js';
import { verifyBackup } from '../../../../kernel/platform/backup/archive-reader.js';
import { restoreBackup } from '../../../../kernel/platform/backup/restore.js';
import { removeFolder } from '../../../../kernel/platform/bundles/folder.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { difference } from '../../../operations/bad-input/rows.js';
import { emptyPlace, installation, restored, rowsIn } from './world.js';

/** Uses everything that a table can have, on either database. */
const odd: Migration = {
  name: '0001-odd',
  async up({ dialect, run }) {
    const postgres = dialect === 'postgres';
    const id = postgres ? 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
    const bytes = postgres ? 'BYTEA' : 'BLOB';
    const time = postgres ? 'TIMESTAMPTZ' : 'TEXT';
    await run(`CREATE TABLE odd_parents (id ${id}, name VARCHAR(20) NOT NULL UNIQUE, CHECK (length(name) > 0))`);
    await run(`CREATE TABLE odd_children (
      parent_id BIGINT NOT NULL REFERENCES odd_parents (id) ON DELETE CASCADE, number INTEGER NOT NULL DEFAULT 7,
      text TEXT, bytes ${bytes}, real DOUBLE PRECISION, yes BOOLEAN, at ${time}, PRIMARY KEY (parent_id, number))`);
    await run('CREATE INDEX odd_children_text ON odd_children (text) WHERE yes');
    if (postgres) {
      await run('CREATE SEQUENCE odd_numbers INCREMENT BY 5 START WITH 100');
      await run(`CREATE TABLE odd_more (no BIGINT NOT NULL DEFAULT nextval('odd_numbers'), terms TSVECTOR, data JSONB, tags TEXT[],
        twice BIGINT GENERATED ALWAYS AS (no * 2) STORED)`);
      await run('ALTER SEQUENCE odd_numbers OWNED BY odd_more.no');
    }
  },
};

const text = 'line\nbreak "quotes" \\ back, tab\t, é 漢字 😀 \u2028 {"json":[1]} \\N $1 \'; DROP TABLE x';

t.test('a restore contains every row and continues where the backup was taken', (t) =>
  eachDatabase(t, async (t, data, place) => {
    await data.migrate('odd', [odd]);
    const db = data.facade('odd');
    for (const name of ['first', text.slice(0, 20)]) await db.run('INSERT INTO odd_parents (name) VALUES ($1)', [name]);
    await db.run('DELETE FROM odd_parents WHERE id = 2');
    const values = [text, randomBytes(3_000), 0.1 + 0.2, true, '2026-11-20T13:30:59.123Z'];
    await db.run('INSERT INTO odd_children (parent_id, number, text, bytes, real, yes, at) VALUES (1, 1, $1, $2, $3, $4, $5)', values);
    await db.run('INSERT INTO odd_children (parent_id, number) VALUES (1, 2)');
    await db.run("INSERT INTO odd_children (parent_id, number, text) VALUES (1, 3, '')");
    if (data.dialect === 'postgres')
      await db.run("INSERT INTO odd_more (terms, data, tags) VALUES (to_tsvector('simple', $1), '{\"a\":null}', ARRAY['x,y','\"'])", [
        text,
      ]);
    const here = installation(data, place);
    const { path, ...report } = await here.backup();
    const before = await rowsIn({ ...place, database_url: place.url });

    const there = await restored(t, path, data);
    t.same(difference(before, there.rows), [], 'all tables have all rows');
    t.ok(report.rows > 4 && report.tables >= before.size / 2, `${report.rows} rows of ${report.tables} tables`);
    t.equal(
      report.sha256,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
    t.equal(report.bytes, (await stat(path)).size);
    t.equal((await stat(path)).mode & 0o777, 0o600);
    t.match(there.manifest, { server: '1.2.3', dialect: data.dialect, needs_secret_key: true, migrations: { odd: ['0001-odd'] } });
    t.equal(there.manifest.tables.odd_children, 3);

    const other = there.data.facade('odd');
    const [row] = await other.rows<{ id: number }>("INSERT INTO odd_parents (name) VALUES ('next') RETURNING id");
    t.equal(row?.id, 3, 'a used id is not assigned again');
    await t.rejects(other.run("INSERT INTO odd_parents (name) VALUES ('next')"), 'unique constraints still apply');
    await t.rejects(other.run('INSERT INTO odd_children (parent_id, number) VALUES (99, 1)'), 'foreign keys still apply');
    await other.run('DELETE FROM odd_parents WHERE id = 1');
    t.same(await other.rows('SELECT * FROM odd_children'), [], 'deletes still cascade');
    await there.data.migrate('odd', [odd]);
    if (data.dialect === 'postgres') {
      await other.run('INSERT INTO odd_more DEFAULT VALUES');
      t.same(await other.rows('SELECT no, twice FROM odd_more ORDER BY no'), [
        { no: 100, twice: 200 },
        { no: 105, twice: 210 },
      ]);
    }
  }),
);

t.test('blobs and files are restored, except links and special files', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const here = installation(data, place);
    const own = here.blobs.of('chat');
    const contents = [0, 1, 1024 * 1024, 2_500_000].map((size) => randomBytes(size));
    const hashes = await Promise.all(contents.map((bytes) => own.put(bytes)));
    await own.hold('one', hashes);
    const long = `${'folder/'.repeat(40)}file`;
    for (const name of ['files/chat/a.txt', `files/chat/${long}`, 'extensions/x/1/index.cjs', 'extensions/stray']) {
      await mkdir(join(place.data_dir, name, '..'), { recursive: true });
      await writeFile(join(place.data_dir, name), name);
    }
    await writeFile(join(place.data_dir, 'secret.key'), 'the master key');
    await symlink(join(place.data_dir, 'secret.key'), join(place.data_dir, 'files/chat/link'));
    const { path, blobs, missing_blobs } = await here.backup();
    t.match({ blobs, missing_blobs }, { blobs: 4, missing_blobs: 0 });
    t.notOk((await readFile(path)).includes('the master key'));

    const there = await restored(t, path, data);
    for (const [at, bytes] of contents.entries())
      t.ok((await there.blobs.of('chat').get(hashes[at] as string))?.equals(bytes), `${bytes.byteLength} bytes`);
    t.equal(await readFile(join(there.data_dir, 'files/chat', long), 'utf8'), `files/chat/${long}`);
    t.equal(await readFile(join(there.data_dir, 'extensions/x/1/index.cjs'), 'utf8'), 'extensions/x/1/index.cjs');
    const modes = ['x', 'x/1', 'x/1/index.cjs'].map(async (name) => (await stat(join(there.data_dir, 'extensions', name))).mode & 0o777);
    t.same(await Promise.all(modes), [0o700, 0o555, 0o444], "an installed plugin's process can read its bundle, as before");
    await removeFolder(join(there.data_dir, 'extensions'));
    t.same((await readdir(join(there.data_dir, 'files/chat'))).sort(), ['a.txt', 'folder']);
  }),
);

t.test('a damaged blob that is in use is reported, and the backup still succeeds', async (t) =>
  eachDatabase(t, async (t, data, place) => {
    const here = installation(data, place);
    const own = here.blobs.of('chat');
    const hash = await own.put(Buffer.from('whole'));
    await own.hold('one', [hash]);
    const hex = hash.slice('sha256:'.length);
    if (data.dialect === 'sqlite') await writeFile(join(place.data_dir, 'blobs', hex.slice(0, 2), hex.slice(2)), 'other');
    else await data.facade('kernel').run('UPDATE kernel_blob_chunks SET content = $1', [Buffer.from('other')]);
    const { path, ...report } = await here.backup();
    t.match(report, { blobs: 0, missing_blobs: 1 });
    t.match(here.warnings, [new RegExp(hex)]);
    t.same((await verifyBackup(path)).missing_blobs, [hex]);
  }),
);

t.test('a blob released during the backup is in it and is removed after it', async (t) =>
  eachDatabase(t, async (t, data, place) => {
    const here = installation(data, place);
    const own = here.blobs.of('chat');
    const hash = await own.put(Buffer.from('short-lived'));
    await own.hold('one', [hash]);
    let inside: () => Promise<void> = async () => undefined;
    const watched = {
      ...data,
      dialect: data.dialect,
      snapshot: ((options, work) =>
        data.snapshot(options, async (snapshot) => {
          await inside();
          return work(snapshot);
        })) as typeof data.snapshot,
    };
    inside = async () => {
      await own.release(['one']);
      await here.blobs.dispose();
    };
    const { path, blobs } = await installation(data, place, {
      data: watched,
      withoutBlobRemovals: (work) => here.blobs.withoutRemovals(work),
    }).backup();
    t.equal(blobs, 1);
    await here.blobs.dispose();
    t.equal(await own.get(hash), undefined);
    const there = await restored(t, path, data);
    t.equal((await there.blobs.of('chat').get(hash))?.toString(), 'short-lived');
    t.equal(
      (await there.data.facade('kernel').rows('SELECT * FROM kernel_blob_holders')).length,
      1,
      'the content is that of the moment of the backup',
    );
    t.equal((await data.facade('kernel').rows('SELECT * FROM kernel_blob_holders')).length, 0);
  }),
);

t.test('a blob without holders is not in a backup, and can be stored where the backup is restored', async (t) =>
  eachDatabase(t, async (t, data, place) => {
    const here = installation(data, place);
    const bytes = randomBytes(2_000_000);
    const hash = await here.blobs.of('chat').put(bytes);
    const { path, ...report } = await here.backup();
    t.match(report, { blobs: 0, missing_blobs: 0 });
    t.notOk((await readFile(path)).includes(bytes.subarray(0, 1_000)));
    const own = (await restored(t, path, data)).blobs.of('chat');
    t.equal(await own.put(bytes), hash);
    await own.hold('one', [hash]);
    t.ok((await own.get(hash))?.equals(bytes));
  }),
);

t.test('undelivered events are delivered after a restore, before new ones', async (t) =>
  eachDatabase(t, async (t, data, place) => {
    const db = data.facade('kernel');
    const emit = (n: number) =>
      db.run("INSERT INTO kernel_outbox (topic, payload, emitted_at) VALUES ('x', $1, $2)", [String(n), systemClock.iso()]);
    for (const n of [1, 2, 3, 4]) await emit(n);
    // A server that has counted far more transactions than the one to come.
    if (data.dialect === 'postgres') await db.run('UPDATE kernel_outbox SET txid = txid + 1000000000000');
    await db.run(`INSERT INTO kernel_listeners (extension, topic, cursor_txid, cursor_id)
      SELECT 'a', 'x', txid, id FROM kernel_outbox WHERE payload = '2'`);
    const { path } = await installation(data, place).backup();
    const there = (await restored(t, path, data)).data.facade('kernel');
    await there.run("INSERT INTO kernel_outbox (topic, payload, emitted_at) VALUES ('x', '5', $1)", [systemClock.iso()]);
    const rows = await there.rows<{ payload: string }>(`SELECT payload FROM kernel_outbox o JOIN kernel_listeners l ON l.topic = o.topic
      AND (o.txid > l.cursor_txid OR (o.txid = l.cursor_txid AND o.id > l.cursor_id)) ORDER BY o.txid, o.id`);
    t.same(
      rows.map(({ payload }) => payload),
      ['3', '4', '5'],
    );
  }),
);

t.test('a restore over existing data or into the other kind of database is rejected', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const { path } = await installation(data, place).backup();
    const there = await emptyPlace(t, data);
    await restoreBackup(path, there);
    const before = await rowsIn(there);
    await t.rejects(restoreBackup(path, there), { code: 'restore_not_empty' });
    t.same(difference(before, await rowsIn(there)), []);
    const filled = await emptyPlace(t, data);
    await mkdir(join(filled.data_dir, 'files', 'chat'), { recursive: true });
    await t.rejects(restoreBackup(path, filled), { code: 'restore_not_empty' });
    const data_dir = await temporaryFolder(t);
    const database_url = data.dialect === 'sqlite' ? 'postgres://nobody@127.0.0.1:1/none' : 'sqlite:';
    const fix = data.dialect === 'sqlite' ? /^leave PLATFORM_DATABASE_URL out/ : /PLATFORM_DATABASE_URL=postgres:/;
    await t.rejects(restoreBackup(path, { data_dir, database_url }), { code: 'backup_other_database', fix });
    t.same(await readdir(data_dir), []);
  }),
);

t.test('an archive of a newer program is rejected', async (t) => {
  const data_dir = await temporaryFolder(t);
  const data = await openData({ url: 'sqlite:', data_dir, clock: systemClock, log: silentLog });
  t.teardown(() => data.close());
  await data.facade('kernel').run("INSERT INTO kernel_migrations (owner, name, ran_at) VALUES ('kernel', '9999-future', '')");
  const { path } = await installation(data, { url: 'sqlite:', data_dir, open: async () => data }).backup();
  await t.rejects(restoreBackup(path, await emptyPlace(t, data)), { code: 'schema_newer' });
});
