import type { Database, SqlValue } from '../../contract/data.js';
import type { AuditEntry, AuditQuery, AuditRecord } from '../../contract/system.js';
import { deleteAll } from '../../core/events/portions.js';
import type { RefusalStore } from './refusals.js';

const columns = 'id, at, member_id, username, operation, door, via, address, request_id, target, outcome, times, last_at, input';
/** Rows removed at a time. */
const portion = 5_000;

interface Row extends Omit<AuditRecord, 'input'> {
  input: string;
}

/** The table of the audit trail. */
export class AuditRows implements RefusalStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async insert({ at, member_id, username, operation, door, via, address, request_id, target, outcome, input }: AuditEntry): Promise<void> {
    const values = [at, member_id, username, operation, door, via, address, request_id, target, outcome, JSON.stringify(input)];
    await this.#db.run(
      'INSERT INTO kernel_audit (at, last_at, member_id, username, operation, door, via, address, request_id, target, outcome, input) ' +
        'VALUES ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
      values,
    );
  }

  async count({ at, request_id, operation, via, target, outcome }: AuditEntry, seen: { times: number; last_at: string }): Promise<void> {
    await this.#db.run(
      'UPDATE kernel_audit SET times = $1, last_at = $2 ' +
        'WHERE at = $3 AND request_id = $4 AND operation = $5 AND target = $6 AND outcome = $7 AND via = $8',
      [seen.times, seen.last_at, at, request_id, operation, target, outcome, via],
    );
  }

  /** The latest first. */
  async page(query: AuditQuery): Promise<AuditRecord[]> {
    const values: SqlValue[] = [];
    const conditions = conditionsOf(query).map(({ sql, value }) => `${sql} $${values.push(value)}`);
    if (query.outcome === 'refused') conditions.push("outcome <> 'success'");
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const sql = `SELECT ${columns} FROM kernel_audit ${where} ORDER BY id DESC LIMIT $${values.push(query.limit)}`;
    const rows = await this.#db.rows<Row>(sql, values);
    return rows.map((row) => ({
      ...row,
      id: Number(row.id),
      member_id: Number(row.member_id),
      last_at: row.last_at || row.at,
      input: JSON.parse(row.input) as object,
    }));
  }

  /** Removes rows from before a time; gives how many. */
  sweep(oldest: string): Promise<number> {
    const sql = `DELETE FROM kernel_audit WHERE id IN (SELECT id FROM kernel_audit WHERE at < $1 LIMIT ${portion})`;
    return deleteAll(this.#db, { sql, values: [oldest], portion });
  }

  /** Removes the oldest refusals beyond a number; gives how many. */
  sweepRefused(max: number): Promise<number> {
    const beyond = `SELECT id FROM kernel_audit WHERE outcome <> 'success' ORDER BY id DESC LIMIT ${portion} OFFSET $1`;
    return deleteAll(this.#db, { sql: `DELETE FROM kernel_audit WHERE id IN (${beyond})`, values: [max], portion });
  }
}

interface Condition {
  sql: string;
  value: SqlValue;
}

function conditionsOf({ member_id, operation, target, outcome, from, to, before }: AuditQuery): Condition[] {
  const found: { sql: string; value: SqlValue | undefined }[] = [
    { sql: 'member_id =', value: member_id },
    { sql: 'operation =', value: operation },
    { sql: 'target =', value: target },
    { sql: 'outcome =', value: outcome === 'refused' ? undefined : outcome },
    { sql: 'at >=', value: from },
    { sql: 'at <', value: to },
    { sql: 'id <', value: before },
  ];
  return found.filter((condition): condition is Condition => condition.value !== undefined);
}
