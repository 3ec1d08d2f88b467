import { Op as SequelizeOp } from 'sequelize';
import sqlite3 from 'sqlite3';
import t from 'tap';
import { Op } from '../../../../kernel/contract/index.js';
import type { Connection, Driver, ParseRows } from '../../../../kernel/platform/data/driver.js';
import { Facade } from '../../../../kernel/platform/data/facade.js';
import { createOrm } from '../../../../kernel/platform/data/orm.js';
import { Transactions } from '../../../../kernel/platform/data/transactions.js';
import { silentLog } from '../../../helpers/databases.js';

/** A driver whose connections run nothing, and write down what Sequelize asks of them. */
function recorder() {
  const statements: string[] = [];
  const lend = (parse: ParseRows) => ({
    serialize: (work: () => void) => work(),
    all(sql: string, _values: unknown, done: (error: null, rows: object[]) => void) {
      statements.push(sql);
      done.call({}, null, parse([{ id: 1, is_open: 1, tags: '["a"]' }]));
    },
    run(sql: string, _values: unknown, done: (error: null) => void) {
      statements.push(sql);
      done.call({ lastID: 7, changes: 1 }, null);
    },
  });
  const connection = { lend } as unknown as Connection;
  const use = <T>(work: (lent: Connection) => Promise<T>) => work(connection);
  const driver = { dialect: 'sqlite', engine: sqlite3, read: use, write: use, explain: (thrown: unknown) => thrown } as unknown as Driver;
  const transactions = new Transactions({ driver, log: silentLog, timeout_ms: 1_000 });
  const orm = createOrm(driver, transactions);
  return { statements, orm, db: new Facade('notes', { driver, transactions, orm: () => orm }) };
}

t.test('a model call runs exactly one statement', async (t) => {
  const { statements, db } = recorder();
  const { integer, boolean, json } = db.columns;
  const Note = db.define('notes', { id: integer({ primaryKey: true, autoIncrement: true }), is_open: boolean(), tags: json<string[]>() });
  t.strictSame(await Note.findAll({ raw: true }), [{ id: 1, is_open: true, tags: ['a'] }]);
  t.equal((await Note.create({ is_open: false, tags: [] })).id, 7);
  await Note.update({ is_open: true }, { where: { id: 1 } });
  await Note.destroy({ where: { id: 1 } });
  t.strictSame(
    statements.map((sql) => sql.split(' ', 1)[0]),
    ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  );
});

t.test('Sequelize opens no connections', async (t) => {
  const { orm } = recorder();
  await t.rejects(orm.sequelize.connectionManager.getConnection({ type: 'read' }), /lent connections/);
});

t.test("operators equal Sequelize's", (t) => {
  for (const [name, symbol] of Object.entries(Op)) t.equal(symbol, SequelizeOp[name as keyof typeof SequelizeOp], name);
  t.end();
});
