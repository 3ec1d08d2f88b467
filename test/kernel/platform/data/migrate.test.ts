import { setTimeout as sleep } from 'node:timers/promises';
import { DataTypes } from 'sequelize';
import t from 'tap';
import type { Migration } from '../../../../kernel/contract/index.js';
import { eachDatabase } from '../../../helpers/databases.js';

const first: Migration = { name: '0001-notes', up: ({ run }) => run('CREATE TABLE notes_notes (id INTEGER PRIMARY KEY)') };
const second: Migration = {
  name: '0002-title',
  up: ({ schema }) => schema.addColumn('notes_notes', 'title', { type: DataTypes.STRING }),
};
const failing: Migration = {
  name: '0003-fails',
  async up({ run }) {
    await run('CREATE TABLE notes_half (id INTEGER PRIMARY KEY)');
    await run('INSERT INTO nowhere VALUES (1)');
  },
};

t.test('migrations run once, in order, also if some are added', (t) =>
  eachDatabase(t, async (t, data) => {
    const db = data.facade('notes');
    await data.migrate('notes', [first]);
    await data.migrate('notes', [first, second]);
    await data.migrate('notes', [first, second]);
    await db.run("INSERT INTO notes_notes (id, title) VALUES (1, 'a')");
    t.strictSame(await db.rows('SELECT id, title FROM notes_notes'), [{ id: 1, title: 'a' }]);
    t.strictSame(await db.rows("SELECT owner, name FROM kernel_migrations WHERE owner = 'notes' ORDER BY name"), [
      { owner: 'notes', name: '0001-notes' },
      { owner: 'notes', name: '0002-title' },
    ]);
  }),
);

t.test('a failed migration is rolled back, and earlier ones stay', (t) =>
  eachDatabase(t, async (t, data) => {
    const db = data.facade('notes');
    await t.rejects(data.migrate('notes', [first, second, failing]), /nowhere/);
    await t.rejects(db.rows('SELECT * FROM notes_half'), /notes_half/);
    t.strictSame(await db.rows("SELECT name FROM kernel_migrations WHERE owner = 'notes' ORDER BY name"), [
      { name: '0001-notes' },
      { name: '0002-title' },
    ]);
    await data.migrate('notes', [first, second, { ...failing, up: ({ run }) => run('CREATE TABLE notes_half (id INTEGER PRIMARY KEY)') }]);
    t.strictSame(await db.rows('SELECT * FROM notes_half'), []);
  }),
);

t.test("a migration and its statements may take longer than a request's transaction", (t) =>
  eachDatabase(t, async (t, _data, place) => {
    const data = await place.open({ transaction_timeout_ms: 20 });
    await t.rejects(
      data.facade('notes').transaction(() => sleep(1_000)),
      { code: 'database_busy' },
    );
    const limit = "SELECT current_setting('statement_timeout')::interval";
    const long: Migration = {
      name: '0001-long',
      async up({ dialect, run }) {
        await run('CREATE TABLE notes_notes (id INTEGER PRIMARY KEY)');
        await sleep(100);
        if (dialect === 'postgres') await run(`DO $$ BEGIN ASSERT (${limit}) > '10 minutes'; END $$`);
      },
    };
    await data.migrate('notes', [long]);
    t.strictSame(await data.facade('notes').rows('SELECT * FROM notes_notes'), []);
  }),
);

t.test('instances that start at once run each migration once', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const others = data.dialect === 'postgres' ? [await place.open(), await place.open(), await place.open()] : [data, data, data];
    await Promise.all([data, ...others].map((one) => one.migrate('notes', [first, second])));
    t.strictSame(await data.facade('notes').rows("SELECT count(*) AS n FROM kernel_migrations WHERE owner = 'notes'"), [{ n: 2 }]);
  }),
);

t.test('badly named or ordered migrations are a programming error', (t) =>
  eachDatabase(t, async (t, data) => {
    await t.rejects(data.migrate('notes', [{ ...first, name: 'notes' }]), /must be named like 0001-members/);
    await t.rejects(data.migrate('notes', [second, first]), /in the order of their names/);
    await t.rejects(data.migrate('notes', [first, first]), /each once/);
  }),
);

t.test('a lock is held until its work has settled', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const other = data.dialect === 'postgres' ? await place.open() : data;
    const seen: string[] = [];
    let release: () => void = () => undefined;
    let taken: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const first = data.lock('start', async () => {
      taken();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      seen.push('first');
      throw new Error('no');
    });
    await held;
    await t.rejects(
      other.lock('start', () => Promise.resolve(), { timeout_ms: 50 }),
      { code: 'database_busy', message: /Timed out after 50 ms waiting for the lock 'start'/ },
    );
    await other.lock('another', async () => seen.push('another'));
    const second = other.lock('start', async () => seen.push('second'));
    release();
    await t.rejects(first, { message: 'no' });
    await second;
    t.strictSame(seen, ['another', 'first', 'second']);
  }),
);
