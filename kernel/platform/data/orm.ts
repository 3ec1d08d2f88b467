import { createRequire } from 'node:module';
import type { Model, ModelStatic, QueryOptions, Sequelize, Transaction } from 'sequelize';
import type { ColumnTypes } from '../../contract/models.js';
import { columnTypes, parseRows } from './columns.js';
import type { Driver } from './driver.js';
import type { Session } from './session.js';
import type { Transactions } from './transactions.js';

const require = createRequire(import.meta.url);

type Statement = string | { query: string };
type Target = ModelStatic<Model> | undefined;
type Options = Omit<QueryOptions, 'instance'> & { model?: Target; instance?: Model };
type RunQuery = (sql: Statement, options: object) => Promise<unknown>;

export interface Orm {
  sequelize: Sequelize;
  columns: ColumnTypes;
}

/**
 * A Sequelize whose statements all run on connections lent to it: in the transaction that runs here,
 * else on a reading connection or in the queue of writes. It is required at the first model and not imported above because
 * it takes 70 ms and 20 MB; the build makes one file of it, which takes less than half of what the package takes.
 */
export function createOrm(driver: Driver, transactions: Transactions): Orm {
  const { DataTypes, Sequelize: Base, Transaction: Handle } = require('./sequelize.cjs') as typeof import('./sequelize-entry.js');
  const handles = new WeakMap<Session, Transaction>();
  const handleOf = (session: Session | undefined): Transaction | undefined => {
    if (!session) return undefined;
    const handle = handles.get(session) ?? Object.assign(new Handle(orm, {}), { connection: {} });
    handles.set(session, handle);
    return handle;
  };

  // A class for each instance: Sequelize keeps the context of transactions on the class. Models ask it
  // where they must know of a transaction before their statements run.
  class Orm extends Base {
    static _cls = { get: () => handleOf(transactions.current), set: () => undefined };
  }
  const { dialect, engine } = driver;
  const orm = new Orm({ dialect, dialectModule: engine, logging: false, define: { timestamps: false, freezeTableName: true } });
  // Sequelize would ask the first connection of its own pool; it has none. Older ones are not supported.
  Object.assign(Reflect.get(orm, 'options') as object, { databaseVersion: dialect === 'postgres' ? '13.0.0' : '3.40.0' });
  orm.connectionManager.getConnection = () => Promise.reject(new Error('Statements run on connections that are lent to them'));

  const query = orm.query.bind(orm) as RunQuery;
  orm.query = ((sql: Statement, options?: Options) =>
    transactions.statement(typeof sql === 'string' ? sql : sql.query, (connection) => {
      const model = options?.model ?? (options?.instance?.constructor as Target);
      const lent = connection.lend((rows) => parseRows(model, rows));
      // Without names of tables Sequelize does not read the types of SQLite's columns before each statement.
      return query(sql, { ...options, tableNames: [], transaction: { connection: lent } });
    })) as typeof orm.query;
  orm.transaction = joinTransactions(orm, transactions, () => handleOf(transactions.current));
  return { sequelize: orm, columns: columnTypes(DataTypes) };
}

/** Makes Sequelize's own transactions those of the data layer; those begun by hand only as a savepoint in one. */
function joinTransactions(orm: Sequelize, transactions: Transactions, handle: () => Transaction | undefined): Sequelize['transaction'] {
  const savepoint = orm.transaction.bind(orm) as (options: object) => Promise<Transaction>;
  const join = (first?: unknown, second?: unknown) => {
    const work = (typeof first === 'function' ? first : second) as ((handle: Transaction | undefined) => Promise<unknown>) | undefined;
    if (work) return transactions.run(() => work(handle()));
    const outer = handle();
    if (outer) return savepoint({ ...(first as object), transaction: outer });
    return Promise.reject(new Error('A transaction by hand (also that of findOrCreate) needs db.transaction(…) around it'));
  };
  return join as Sequelize['transaction'];
}
