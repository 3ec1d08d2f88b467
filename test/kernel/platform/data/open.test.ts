import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';

function open(data_dir: string, url = 'sqlite:') {
  return openData({ url, data_dir, clock: systemClock, log: silentLog });
}

/** Every file of a folder, with the hash of its content. */
async function snapshot(folder: string) {
  const names = (await readdir(folder)).sort();
  const hash = async (name: string) => [
    name,
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex'),
  ];
  return Object.fromEntries(await Promise.all(names.map(hash)));
}

/** A folder with a database that was used and closed. */
async function usedFolder(t: Test): Promise<string> {
  const folder = await temporaryFolder(t);
  const data = await open(folder);
  const db = data.facade('notes');
  await db.run('CREATE TABLE notes_notes (id INTEGER PRIMARY KEY, content TEXT)');
  await db.transaction(async () => {
    for (let n = 0; n < 200; n += 1) await db.run('INSERT INTO notes_notes (content) VALUES ($1)', ['x'.repeat(500)]);
  });
  await data.close();
  return folder;
}

async function refuses(t: Test, folder: string, expected: { code: string; message: RegExp }) {
  const before = await snapshot(folder);
  await t.rejects(open(folder), expected);
  t.strictSame(await snapshot(folder), before, 'nothing in the folder has changed');
}

t.test('a closed database leaves one file and opens again unchanged', async (t) => {
  const folder = await usedFolder(t);
  t.strictSame(await readdir(folder), ['platform.db']);
  const data = await open(folder);
  t.strictSame(await data.facade('x').rows('SELECT count(*) AS n FROM notes_notes'), [{ n: 200 }]);
  await data.close();
});

t.test('an address names a separate file', async (t) => {
  const folder = await temporaryFolder(t);
  const data = await open(folder, `sqlite:${join(folder, 'other.db')}`);
  await data.close();
  t.strictSame(await readdir(folder), ['other.db']);
});

t.test('an unknown kind of address is rejected without repeating possible passwords', async (t) => {
  await t.rejects(open('/nowhere', 'mysql://root:secret@host/db'), { message: /but is 'mysql:…'/ });
});

t.test('a file that is not a database is rejected and left unchanged', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'platform.db'), 'hello, this is a text and not a database '.repeat(100));
  await refuses(t, folder, { code: 'database_corrupt', message: /platform\.db is damaged \(it lacks the header/ });
});

t.test('a truncated database is rejected and left unchanged', async (t) => {
  const folder = await usedFolder(t);
  await truncate(join(folder, 'platform.db'), 8192);
  await refuses(t, folder, { code: 'database_corrupt', message: /it has 8192 bytes of \d+/ });
});

t.test('a database with overwritten pages is rejected and left unchanged', async (t) => {
  const folder = await usedFolder(t);
  const file = join(folder, 'platform.db');
  const bytes = await readFile(file);
  bytes.fill(0xab, 4096 * 20, 4096 * 24);
  await writeFile(file, bytes);
  await refuses(t, folder, { code: 'database_corrupt', message: /is damaged \(.+\); restore it from a backup/ });
});

t.test('a database with an overwritten schema is rejected and left unchanged', async (t) => {
  const folder = await usedFolder(t);
  const file = join(folder, 'platform.db');
  const bytes = await readFile(file);
  bytes.fill(0xab, 100, 4000);
  await writeFile(file, bytes);
  await refuses(t, folder, { code: 'database_corrupt', message: /is damaged/ });
});

t.test('a database of a newer program is rejected and left unchanged', async (t) => {
  const folder = await usedFolder(t);
  const data = await open(folder);
  await data.facade('kernel').run("INSERT INTO kernel_migrations (owner, name, ran_at) VALUES ('kernel', '9999-future', '')");
  await data.close();
  await refuses(t, folder, {
    code: 'schema_newer',
    message: /newer version of 'kernel': it has the migration 9999-future, this program's last one is \d{4}-/,
  });
});

t.test('a newer schema of the kernel or an extension is rejected on both databases', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const migrations = [
      { name: '0001-one', up: () => Promise.resolve() },
      { name: '0002-two', up: () => Promise.resolve() },
    ];
    await data.migrate('notes', migrations);
    await t.rejects(data.migrate('notes', migrations.slice(0, 1)), {
      code: 'schema_newer',
      message: /newer version of 'notes': it has the migration 0002-two, this program's last one is 0001-one/,
    });
    await data.facade('kernel').run("INSERT INTO kernel_migrations (owner, name, ran_at) VALUES ('kernel', '9999-future', '')");
    await t.rejects(place.open(), { code: 'schema_newer' });
  }),
);

t.test('a database killed while writing opens with everything committed', async (t) => {
  const folder = await usedFolder(t);
  const data = await open(folder);
  await data.facade('x').run("INSERT INTO notes_notes (content) VALUES ('last')");
  const copy = await temporaryFolder(t);
  for (const name of await readdir(folder))
    if (!name.endsWith('-shm')) await writeFile(join(copy, name), await readFile(join(folder, name)));
  await data.close();
  const recovered = await open(copy);
  t.strictSame(await recovered.facade('x').rows('SELECT count(*) AS n FROM notes_notes'), [{ n: 201 }]);
  await recovered.close();
});

t.test('a killed process loses no committed data', async (t) => {
  const folder = await temporaryFolder(t);
  const writer = fileURLToPath(new URL('../../../fixtures/data-writer.js', import.meta.url));
  const child = fork(writer, [folder], { stdio: 'ignore' });
  let told = 0;
  child.on('message', (count: number) => {
    told = count;
    if (count === 100) child.kill('SIGKILL');
  });
  await once(child, 'exit');
  const data = await open(folder);
  const [row] = await data
    .facade('x')
    .rows<{ n: number; pairs: number }>('SELECT count(*) AS n, count(DISTINCT pair) AS pairs FROM notes_notes');
  await data.close();
  t.ok(told >= 100 && (row?.pairs ?? 0) >= told, `${told} pairs were acknowledged, ${row?.pairs} found`);
  t.equal(row?.n, (row?.pairs ?? 0) * 2, 'each transaction exists completely or not at all');
});

t.test('a full disk is reported as unavailable, and the transaction is rolled back; the database stays usable', async (t) => {
  const data = await open(await temporaryFolder(t));
  const db = data.facade('notes');
  await db.run('CREATE TABLE notes_notes (content TEXT)');
  const [{ page_count } = { page_count: 0 }] = await db.rows<{ page_count: number }>('PRAGMA page_count');
  await db.run(`PRAGMA max_page_count = ${page_count + 20}`);
  const fill = db.transaction(async () => {
    for (;;) await db.run('INSERT INTO notes_notes VALUES ($1)', ['x'.repeat(5_000)]);
  });
  const full = { code: 'database_unavailable', status: 503, message: /database or disk is full/ };
  await t.rejects(fill, full);
  const Note = db.define('notes', { content: db.columns.text({ primaryKey: true }) });
  const fillByModel = async () => {
    for (;;) await Note.create({ content: 'x'.repeat(5_000) });
  };
  await t.rejects(db.transaction(fillByModel), full);
  await db.run("INSERT INTO notes_notes VALUES ('small')");
  t.strictSame(await db.rows('SELECT content FROM notes_notes'), [{ content: 'small' }]);
  await data.close();
});

t.test('a folder instead of a database file is rejected', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'platform.db'));
  await t.rejects(open(folder), { code: 'data_dir_unwritable' });
});

t.test('calls on a closed database fail', (t) =>
  eachDatabase(t, async (t, data) => {
    const query = data.facade('x').prepare('SELECT 1 AS n');
    t.strictSame(await query.all(), [{ n: 1 }]);
    const db = data.facade('kernel');
    const Setting = db.define('settings', { key: db.columns.string(128, { primaryKey: true }), value: db.columns.text() });
    t.equal(await Setting.count(), 0);
    await data.close();
    await data.close();
    await t.rejects(data.ping(), { code: 'database_unavailable', status: 503 });
    await t.rejects(query.all(), { code: 'database_unavailable' });
    await t.rejects(Setting.findAll(), { code: 'database_unavailable' });
    await t.rejects(Setting.create({ key: 'a', value: '' }), { code: 'database_unavailable' });
    await t.rejects(
      data.facade('x').transaction(() => Promise.resolve()),
      { code: 'database_unavailable' },
    );
  }),
);

t.test('closing waits for a running transaction', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const db = data.facade('kernel');
    const work = db.transaction(async () => {
      await db.run("INSERT INTO kernel_settings (key, value) VALUES ('a', '1')");
      await new Promise((resolve) => setTimeout(resolve, 50));
      await db.run("INSERT INTO kernel_settings (key, value) VALUES ('b', '2')");
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await data.close();
    await work;
    const again = await place.open();
    t.strictSame(await again.facade('kernel').rows('SELECT key FROM kernel_settings ORDER BY key'), [{ key: 'a' }, { key: 'b' }]);
  }),
);

t.test('a database reports its size', (t) =>
  eachDatabase(t, async (t, data) => {
    t.ok((await data.size()) > 10_000);
  }),
);

t.test('no other user can read the database, whatever the rights of its folder and file', async (t) => {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  const modes = async () => {
    const names = (await readdir(folder)).filter((name) => name.startsWith('platform.db'));
    return Promise.all(names.sort().map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]));
  };
  const all = (mode: string) => ['platform.db', 'platform.db-shm', 'platform.db-wal'].map((name) => [name, mode]);
  const first = await open(folder);
  t.same(await modes(), all('600'));
  for (const [name] of all('')) await chmod(join(folder, name as string), 0o644);
  const second = await open(folder);
  t.same(await modes(), all('640'), 'the permissions of the group are the owner’s choice');
  await first.close();
  // The last one alone folds the log in: of two that close at once each may see the other.
  await second.close();
  t.same(await modes(), [['platform.db', '640']]);
});
