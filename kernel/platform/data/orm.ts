import { createRequire } from 'node:module';
import type { QueryOptions, Sequelize, Transaction } from 'sequelize';
import type { Connection, Driver } from './driver.js';
import type { Session } from './session.js';
import type { Transactions } from './transactions.js';

const require = createRequire(import.meta.url);

type Statement = string | { query: string };
type RunQuery = (sql: Statement, options: QueryOptions) => Promise<unknown>;

/**
 * A Sequelize whose statements all run on connections lent to it: in the transaction that runs here,
 * else on a reading connection or in the queue of writes. Call it late: Sequelize takes 90 ms and
 * 30 MB to load, which is why it is required here and not imported above.
 */
export function createOrm(driver: Driver, transactions: Transactions): Sequelize {
  const { Sequelize: Base, Transaction: Handle } = require('sequelize') as typeof import('sequelize');
  const handles = new WeakMap<Session, Transaction>();
  const handleOn = (connection: Connection) => Object.assign(new Handle(orm, {}), { connection: connection.native });
  const handleOf = (session: Session | undefined): Transaction | undefined => {
    if (!session) return undefined;
    const handle = handles.get(session) ?? handleOn(session.connection);
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
  orm.query = ((sql: Statement, options?: QueryOptions) =>
    transactions.statement(typeof sql === 'string' ? sql : sql.query, (connection) => {
      const transaction = handleOf(transactions.current) ?? handleOn(connection);
      return query(sql, { ...options, transaction });
    })) as typeof orm.query;
  orm.transaction = joinTransactions(orm, transactions, () => handleOf(transactions.current));
  return orm;
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
