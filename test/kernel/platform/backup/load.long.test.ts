import { randomBytes } from 'node:crypto';
import t from 'tap';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, temporaryFolder } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { installation, never, restored } from './world.js';

const migration = {
  name: '0001-accounts',
  up: async ({ run }: { run: (sql: string) => Promise<void> }) => {
    await run('CREATE TABLE bank_accounts (id INTEGER NOT NULL PRIMARY KEY, amount INTEGER NOT NULL)');
    await run('CREATE TABLE bank_transfers (number INTEGER NOT NULL PRIMARY KEY, amount INTEGER NOT NULL)');
    await run('CREATE TABLE bank_ballast (id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL)');
  },
};

/** Moves amounts between two accounts, a numbered transaction each, until it is stopped; knows what was acknowledged. */
class Writer {
  acknowledged = 0;
  #stopped = false;
  readonly #ended: Promise<void>;

  constructor(data: Data) {
    this.#ended = this.#run(data);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(data: Data): Promise<void> {
    const db = data.facade('bank');
    while (!this.#stopped) {
      const number = this.acknowledged + 1;
      const amount = (number % 10) + 1;
      await db.transaction(async () => {
        await db.run('UPDATE bank_accounts SET amount = amount - $1 WHERE id = 1', [amount]);
        await db.run('INSERT INTO bank_transfers (number, amount) VALUES ($1, $2)', [number, amount]);
        await db.run('UPDATE bank_accounts SET amount = amount + $1 WHERE id = 2', [amount]);
      });
      this.acknowledged = number;
    }
  }
}

t.test('a backup under load contains everything acknowledged before it began, and is otherwise consistent', (t) =>
  eachDatabase(t, async (t, data, place) => {
    await data.migrate('bank', [migration]);
    const db = data.facade('bank');
    await db.run('INSERT INTO bank_accounts (id, amount) VALUES (1, 1000000), (2, 0)');
    // Large enough that a good deal is written while it is copied.
    for (let id = 0; id < 30; id += 1) {
      await db.run('INSERT INTO bank_ballast (id, text) VALUES ($1, $2)', [id, randomBytes(500_000).toString('base64')]);
    }
    const here = installation(data, place);
    const writer = new Writer(data);
    t.teardown(() => writer.stop());
    await until(
      () => writer.acknowledged,
      (count) => count > 20,
    );
    const found: { before: number; in_it: number; after: number }[] = [];
    for (let round = 0; round < 3; round += 1) {
      const before = writer.acknowledged;
      const { path } = await here.backup();
      const after = writer.acknowledged;
      const there = (await restored(t, path, data)).data.facade('bank');
      const accounts = await there.rows<{ amount: number }>('SELECT amount FROM bank_accounts ORDER BY id');
      const [sums] = await there.rows<{ count: number; last: number; amount: number }>(
        'SELECT count(*) AS count, max(number) AS last, sum(amount) AS amount FROM bank_transfers',
      );
      t.same(accounts, [{ amount: 1_000_000 - Number(sums?.amount) }, { amount: Number(sums?.amount) }], 'the sums match the transfers');
      t.equal(sums?.count, sums?.last, 'no transfer is missing');
      t.ok(Number(sums?.last) >= before && Number(sums?.last) <= after + 1, `${sums?.last} is between ${before} and ${after}`);
      found.push({ before, in_it: Number(sums?.last), after });
    }
    await writer.stop();
    t.ok(
      found.every(({ before, after }) => after > before + 5),
      `writes went on meanwhile: ${JSON.stringify(found)}`,
    );
  }),
);

t.test('readers and writers never wait for a snapshot, nor for a migration that waits for it', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const other = data.dialect === 'postgres' ? await place.open() : data;
    await data.migrate('bank', [migration]);
    const widen = {
      name: '0002-more',
      up: ({ run }: { run: (sql: string) => Promise<void> }) => run('ALTER TABLE bank_accounts ADD COLUMN more INTEGER'),
    };
    const waits = `SELECT count(*) AS count FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE NOT l.granted AND a.datname = current_database()`;
    const waiting = async () => (await data.facade('bank').rows<{ count: number }>(waits))[0]?.count ?? 0;
    const done: string[] = [];
    let migrating: Promise<void> | undefined;
    await data.snapshot({ folder: await temporaryFolder(t), signal: never() }, async (snapshot) => {
      for await (const entry of snapshot.entries()) for await (const _ of entry.content);
      migrating = other.migrate('bank', [migration, widen]).then(() => void done.push('migrated'));
      if (data.dialect === 'sqlite') await migrating;
      else await until(waiting, (count) => count > 0);
      // Whoever reads or writes the table waits for neither.
      for (let id = 0; id < 20; id += 1) await data.facade('bank').run('INSERT INTO bank_accounts (id, amount) VALUES ($1, 0)', [id]);
      t.equal((await data.facade('bank').rows('SELECT * FROM bank_accounts')).length, 20);
      t.equal((await snapshot.rows('SELECT * FROM bank_accounts', [])).length, 0, 'the snapshot is unchanged');
      done.push('read');
    });
    await migrating;
    t.same(done, data.dialect === 'postgres' ? ['read', 'migrated'] : ['migrated', 'read']);
  }),
);
