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
 * Creates a Sequelize whose statements run on lent connections: in the current transaction, otherwise on a reading connection or in the
 * queue of writes. It is required at the first model instead of imported, because loading takes 70 ms and 20 MB; the build bundles it
 * into one file, which halves that.
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

  // A class per instance, because Sequelize stores the transaction context on the class. Models read it before their statements run.
  class Orm extends Base {
    static _cls = { get: () => handleOf(transactions.current), set: () => undefined };
  }
  const { dialect, engine } = driver;
  const orm = new Orm({ dialect, dialectModule: engine, logging: false, define: { timestamps: false, freezeTableName: true } });
  // Sequelize would query the version on a connection of its own pool, which it doesn't have. Older versions are not supported.
  Object.assign(Reflect.get(orm, 'options') as object, { databaseVersion: dialect === 'postgres' ? '13.0.0' : '3.40.0' });
  orm.connectionManager.getConnection = () => Promise.reject(new Error('Statements must run on lent connections'));

  const query = orm.query.bind(orm) as RunQuery;
  orm.query = ((sql: Statement, options?: Options) =>
    transactions.statement(typeof sql === 'string' ? sql : sql.query, (connection) => {
      const model = options?.model ?? (options?.instance?.constructor as Target);
      const lent = connection.lend((rows) => parseRows(model, rows));
      // Without table names Sequelize skips reading the column types of SQLite before each statement.
      return query(sql, { ...options, tableNames: [], transaction: { connection: lent } });
    })) as typeof orm.query;
  orm.transaction = joinTransactions(orm, transactions, () => handleOf(transactions.current));
  return { sequelize: orm, columns: columnTypes(DataTypes) };
}

/** Maps Sequelize's transactions to those of the data layer. Unmanaged ones are allowed only as savepoints within one. */
function joinTransactions(orm: Sequelize, transactions: Transactions, handle: () => Transaction | undefined): Sequelize['transaction'] {
  const savepoint = orm.transaction.bind(orm) as (options: object) => Promise<Transaction>;
  const join = (first?: unknown, second?: unknown) => {
    const work = (typeof first === 'function' ? first : second) as ((handle: Transaction | undefined) => Promise<unknown>) | undefined;
    if (work) return transactions.run(() => work(handle()));
    const outer = handle();
    if (outer) return savepoint({ ...(first as object), transaction: outer });
    return Promise.reject(new Error('An unmanaged transaction (also that of findOrCreate) must run inside db.transaction(…)'));
  };
  return join as Sequelize['transaction'];
}
