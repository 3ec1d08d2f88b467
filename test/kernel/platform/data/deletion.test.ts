import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Data, openData } from '../../../../kernel/platform/data/hub.js';
import { silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { becomes } from '../../../helpers/eventually.js';

const count = 60;
const all = Array.from({ length: count }, (_, n) => n);
/** No word is the beginning of another. */
const wordOf = (n: number) => `quince-${n}-jelly`;

/** A SQLite database whose rows have a word each; every fifth fills several pages. */
async function wordsIn(t: Test) {
  const folder = await temporaryFolder(t);
  const data = await openData({ url: 'sqlite:', data_dir: folder, clock: systemClock, log: silentLog, empty_log_ms: 20 });
  t.teardown(() => data.close());
  const db = data.facade('notes');
  await db.run('CREATE TABLE notes_notes (id INTEGER PRIMARY KEY, content TEXT)');
  for (const n of all) {
    await db.run('INSERT INTO notes_notes VALUES ($1, $2)', [n, `${wordOf(n)} ${'x'.repeat(n % 5 === 0 ? 20_000 : 100)}`]);
  }
  return { data, db, found: () => numbersIn(folder) };
}

/** Returns the numbers whose words are in the files of the database. */
async function numbersIn(folder: string): Promise<number[]> {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  return all.filter((n) => files.some((bytes) => bytes.includes(wordOf(n))));
}

/** Returns the numbers whose words are in a snapshot. */
async function numbersInSnapshot(t: Test, data: Data): Promise<number[]> {
  const options = { folder: await temporaryFolder(t), signal: new AbortController().signal };
  return data.snapshot(options, async (snapshot) => {
    const chunks: Buffer[] = [];
    for await (const { content } of snapshot.entries()) for await (const chunk of content) chunks.push(Buffer.from(chunk));
    t.same(await readdir(options.folder), ['database.sqlite']);
    const bytes = Buffer.concat(chunks);
    return all.filter((n) => bytes.includes(wordOf(n)));
  });
}

t.test('soon after a text is deleted or replaced it is in no file of a SQLite database, and in no later snapshot', async (t) => {
  const { data, db, found } = await wordsIn(t);
  await becomes(t, found, all);
  t.same(await numbersInSnapshot(t, data), all);
  await db.run('DELETE FROM notes_notes WHERE id % 3 = 0');
  await db.run("UPDATE notes_notes SET content = '' WHERE id % 3 = 1");
  const left = all.filter((n) => n % 3 === 2);
  await becomes(t, found, left);
  t.same(await numbersInSnapshot(t, data), left);
});

t.test('a text that is deleted while a snapshot is read goes after it', async (t) => {
  const { data, db, found } = await wordsIn(t);
  await data.snapshot({ folder: await temporaryFolder(t), signal: new AbortController().signal }, async (snapshot) => {
    await db.run('DELETE FROM notes_notes WHERE id > 0');
    await becomes(t, async () => (await snapshot.rows<{ n: number }>('SELECT count(*) AS n FROM notes_notes', []))[0]?.n, count);
  });
  await becomes(t, found, [0]);
});

t.test('an aborted snapshot fails with the reason of the abort, and leaves the database usable', async (t) => {
  const { data, db } = await wordsIn(t);
  const reason = new Error('stopped');
  const abort = new AbortController();
  const options = { folder: await temporaryFolder(t), signal: abort.signal };
  const read = data.snapshot(options, async (snapshot) => {
    abort.abort(reason);
    for await (const _entry of snapshot.entries()) t.fail('it has an entry');
  });
  await t.rejects(read, reason);
  t.equal(await db.run('DELETE FROM notes_notes'), count);
});
