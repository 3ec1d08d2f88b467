import type { Database, TransactionOptions } from '../../contract/data.js';
import type { Requests } from '../invoke/request.js';

/** Wraps the database of an extension: a transaction of an audited operation also writes the audit row. */
export function auditedDatabase(db: Database, requests: Requests): Database {
  const transaction = async <T>(work: () => Promise<T>, { audited = true }: TransactionOptions = {}): Promise<T> => {
    const audit = audited ? requests.current()?.audit : undefined;
    if (!audit || db.inTransaction) return db.transaction(work);
    let wrote = false;
    try {
      return await db.transaction(async () => {
        const result = await work();
        wrote = await audit.flush();
        return result;
      });
    } catch (fault) {
      // A row that an earlier transaction stored stays.
      if (wrote) audit.undo();
      throw fault;
    }
  };
  return {
    dialect: db.dialect,
    get inTransaction() {
      return db.inTransaction;
    },
    transaction,
    get columns() {
      return db.columns;
    },
    get expressions() {
      return db.expressions;
    },
    define: (name, columns, options) => db.define(name, columns, options),
    afterCommit: (work) => db.afterCommit(work),
    prepare: (sql, options) => db.prepare(sql, options),
    rows: (sql, values, options) => db.rows(sql, values, options),
    run: (sql, values, options) => db.run(sql, values, options),
  };
}
