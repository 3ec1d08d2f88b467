import type { Database } from '../contract/data.js';
import type { Data } from '../data/hub.js';
import { deleteAll } from './portions.js';
import type { Requests } from './request.js';

/** What the audit trail keeps of an operation. Secrets in the input are masked before. */
export interface AuditEntry {
  at: string;
  member_id: number;
  operation: string;
  door: string;
  address: string;
  request_id: string;
  input: object;
}

/** The row of a running operation that must be written with its effect. */
export class PendingAudit {
  readonly #write: () => Promise<void>;
  #written = false;

  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Writes the row unless it stands already. */
  async flush(): Promise<void> {
    if (this.#written) return;
    this.#written = true;
    try {
      await this.#write();
    } catch (fault) {
      this.#written = false;
      throw fault;
    }
  }

  /** The transaction that held the row was rolled back. */
  undo(): void {
    this.#written = false;
  }
}

export async function writeAudit(data: Data, entry: AuditEntry): Promise<void> {
  const { at, member_id, operation, door, address, request_id, input } = entry;
  const values = [at, member_id, operation, door, address, request_id, JSON.stringify(input)];
  await data
    .facade('kernel')
    .run(
      'INSERT INTO kernel_audit (at, member_id, operation, door, address, request_id, outcome, input) ' +
        "VALUES ($1, $2, $3, $4, $5, $6, 'success', $7)",
      values,
    );
}

/** A year and a month: what happened since the last yearly review can be looked up at the next. */
const kept_ms = 400 * 24 * 3600 * 1000;
const portion = 5_000;

/** Removes the rows of the audit trail that are older than 400 days; gives how many. */
export function sweepAudit(data: Data, clock: { now(): number }): Promise<number> {
  const oldest = new Date(clock.now() - kept_ms).toISOString();
  const sql = `DELETE FROM kernel_audit WHERE id IN (SELECT id FROM kernel_audit WHERE at < $1 LIMIT ${portion})`;
  return deleteAll(data.facade('kernel'), { sql, values: [oldest], portion });
}

/** The database as an extension sees it: a transaction of an audited operation carries its audit row. */
export function auditedDatabase(db: Database, requests: Requests): Database {
  const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
    const audit = requests.current()?.audit;
    if (!audit || db.inTransaction) return db.transaction(work);
    try {
      return await db.transaction(async () => {
        const result = await work();
        await audit.flush();
        return result;
      });
    } catch (fault) {
      audit.undo();
      throw fault;
    }
  };
  return {
    dialect: db.dialect,
    get inTransaction() {
      return db.inTransaction;
    },
    transaction,
    define: (name, attributes, options) => db.define(name, attributes, options),
    afterCommit: (work) => db.afterCommit(work),
    prepare: (sql) => db.prepare(sql),
    rows: (sql, values) => db.rows(sql, values),
    run: (sql, values) => db.run(sql, values),
  };
}
