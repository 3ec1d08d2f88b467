import t from 'tap';
import { isUniqueViolation } from '../../../../kernel/contract/index.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase } from '../../../helpers/databases.js';

/** A table of counters, and the part of an extension that has it. */
async function counters(data: Data) {
  const db = data.facade('count');
  await db.run('CREATE TABLE count_counters (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)');
  await db.run('INSERT INTO count_counters (id, value) VALUES (1, 0)');
  const read = () => db.rows<{ id: number; value: number }>('SELECT id, value FROM count_counters ORDER BY id');
  const add = (id: number) => db.run('INSERT INTO count_counters (id, value) VALUES ($1, 0)', [id]);
  return { db, read, add };
}

t.test('60 concurrent read-then-write transactions lose no update', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read } = await counters(data);
    const raise = () =>
      db.transaction(async () => {
        const [row] = await db.rows<{ value: number }>('SELECT value FROM count_counters WHERE id = $1 FOR UPDATE', [1]);
        await db.run('UPDATE count_counters SET value = $1 WHERE id = 1', [(row?.value ?? 0) + 1]);
      });
    await Promise.all(Array.from({ length: 60 }, raise));
    t.strictSame(await read(), [{ id: 1, value: 60 }]);
  }),
);

t.test('60 concurrent transactions of models lose no update', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read } = await counters(data);
    const Counter = db.define('counters', { id: db.columns.integer({ primaryKey: true }), value: db.columns.integer({ allowNull: true }) });
    const raise = () =>
      db.transaction(async () => {
        const counter = await Counter.findByPk(1, { lock: true, rejectOnEmpty: true });
        await counter.increment('value');
      });
    await Promise.all(Array.from({ length: 60 }, raise));
    t.strictSame(await read(), [{ id: 1, value: 60 }]);
  }),
);

t.test('an error rolls back writes of models, statements and inner transactions', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    const Counter = db.define('counters', { id: db.columns.integer({ primaryKey: true }), value: db.columns.integer({ allowNull: true }) });
    const work = db.transaction(async () => {
      await add(2);
      await Counter.create({ id: 3, value: 0 });
      await db.transaction(() => add(4));
      t.equal((await read()).length, 4, 'the transaction sees its own rows');
      throw new Error('no');
    });
    await t.rejects(work, { message: 'no' });
    t.strictSame(await read(), [{ id: 1, value: 0 }]);
  }),
);

t.test('an inner transaction joins the outer one, even from another facade', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    const other = data.facade('other');
    await db.transaction(async () => {
      await other.transaction(async () => {
        t.ok(other.inTransaction);
        await add(2);
      });
    });
    t.notOk(db.inTransaction);
    t.equal((await read()).length, 2);
  }),
);

t.test('a caught error of an inner transaction still rolls back the whole', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    const work = db.transaction(async () => {
      await add(2);
      await db.transaction(() => Promise.reject(new Error('inner'))).catch(() => undefined);
    });
    await t.rejects(work, { message: 'inner' });
    t.equal((await read()).length, 1);
  }),
);

t.test('a caught error of a statement still rolls back the whole', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    const work = db.transaction(async () => {
      await add(2);
      await add(1).catch(() => undefined);
      await t.rejects(add(3), /has failed already/);
    });
    t.ok(isUniqueViolation(await work.catch((error: unknown) => error)));
    t.equal((await read()).length, 1);
  }),
);

t.test("a statement after its transaction's end fails with a named error", (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    const Counter = db.define('counters', { id: db.columns.integer({ primaryKey: true }), value: db.columns.integer({ allowNull: true }) });
    const ended = resolvers();
    let late: Promise<unknown>[] = [];
    await db.transaction(async () => {
      late = [
        ended.promise.then(() => add(7)),
        ended.promise.then(() => Counter.create({ id: 8, value: 0 })),
        ended.promise.then(() => db.transaction(() => add(9))),
      ];
    });
    ended.resolve();
    for (const work of late) await t.rejects(work, /started after its transaction had ended/);
    t.equal((await read()).length, 1);
  }),
);

t.test("a statement still running at its transaction's end rolls back the whole", (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    let forgotten: Promise<unknown> = Promise.resolve();
    const work = db.transaction(async () => {
      await add(2);
      forgotten = add(3).catch(() => undefined);
    });
    await t.rejects(work, /await is missing/);
    await forgotten;
    t.equal((await read()).length, 1);
  }),
);

t.test('an endless transaction is rolled back, and others go on', (t) =>
  eachDatabase(t, async (t, first, place) => {
    await first.close();
    const data = await place.open({ transaction_timeout_ms: 50 });
    const { db, read, add } = await counters(data);
    const stuck = db.transaction(async () => {
      await add(2);
      await new Promise(() => undefined);
    });
    const beside = add(3);
    await t.rejects(stuck, { code: 'database_busy', message: /open for more than 50 ms/ });
    await beside;
    t.strictSame(
      (await read()).map(({ id }) => id),
      [1, 3],
    );
  }),
);

t.test('concurrent parts of a transaction both belong to it', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    await db.transaction(async () => void (await Promise.all([add(2), add(3), add(4)])));
    t.equal((await read()).length, 4);
  }),
);

t.test('afterCommit runs after the commit, outside of it, and not after a rollback', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, add } = await counters(data);
    const seen: string[] = [];
    db.afterCommit(() => seen.push('at once'));
    await db.transaction(async () => {
      await add(2);
      db.afterCommit(() => seen.push(db.inTransaction ? 'inside' : 'after'));
      db.afterCommit(() => {
        throw new Error('only logged');
      });
      await db.transaction(async () => db.afterCommit(() => seen.push('inner')));
      seen.push('work');
    });
    const undone = db.transaction(async () => {
      db.afterCommit(() => seen.push('never'));
      throw new Error('no');
    });
    await t.rejects(undone, { message: 'no' });
    t.strictSame(seen, ['at once', 'work', 'after', 'inner']);
  }),
);

t.test('transactions of two open databases are independent', (t) =>
  eachDatabase(t, async (t, first) => {
    await eachDatabase(t, async (t, second) => {
      const here = await counters(second);
      await first.facade('x').transaction(async () => {
        t.notOk(here.db.inTransaction);
        await here.add(2);
      });
      t.equal((await here.read()).length, 2);
    });
  }),
);

t.test('single writes wait for a long transaction and succeed', (t) =>
  eachDatabase(t, async (t, data) => {
    const { db, read, add } = await counters(data);
    const gate = resolvers();
    const long = db.transaction(async () => {
      await add(2);
      await gate.promise;
    });
    const beside = Promise.all(Array.from({ length: 50 }, (_, n) => add(100 + n)));
    t.equal((await read()).length >= 1, true, 'reads do not wait');
    gate.resolve();
    await Promise.all([long, beside]);
    t.equal((await read()).length, 52);
  }),
);

function resolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
