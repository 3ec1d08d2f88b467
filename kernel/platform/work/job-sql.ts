import type { Database, SqlValue } from '../../contract/data.js';
import { databaseNow, orderByIndex } from '../../contract/sql.js';
import type { Bind, ClaimFilter, JobId, JobRow, JobTable } from '../../contract/work.js';

interface Claim {
  limit: number;
  filter?: ClaimFilter | undefined;
  /** Claims only these jobs. */
  ids?: readonly JobId[] | undefined;
  /** Excludes jobs that run here: an expired lease must not start them a second time. */
  without?: readonly JobId[];
  /** Columns and values of the keys at their limit. */
  full?: { columns: readonly string[]; keys: readonly (readonly SqlValue[])[] };
  /** Also claims a job that isn't due yet, unless another worker has it. */
  early?: boolean;
}

interface Options {
  table: JobTable;
  /** Whether a job is due again after its lease has expired. */
  retries: boolean;
  lease_ms: number;
  owner: string;
  instance: string;
}

/** Leases of dead workers: expired ones, or all of other processes. */
export type Dead = 'lapsed' | 'others';

/** Statements of a job queue. Plain SQL, because models can neither claim (lock, skip, update and return) nor use the database's clock. */
export class JobSql<Row extends JobRow> {
  readonly #db: Database;
  readonly #options: Options;
  readonly #postgres: boolean;
  readonly #now: string;
  readonly #owner: string;
  readonly #lease: string;
  readonly #renewed: string;

  constructor(db: Database, options: Options) {
    this.#db = db;
    this.#options = options;
    this.#postgres = db.dialect === 'postgres';
    this.#now = databaseNow(db);
    const { owner = 'owner', lease = 'lease_until' } = options.table;
    this.#owner = owner;
    this.#lease = lease;
    this.#renewed = `${lease} = ${this.#now} + ${options.lease_ms}`;
  }

  /** Returns whether a job is ready. A read, because a claim would wait in SQLite's queue of writes even if it finds nothing. */
  async anyReady(): Promise<boolean> {
    const { values, bind } = binder();
    const where = this.#ready({}, bind);
    return (await this.#db.rows(`SELECT 1 AS ready FROM ${this.#table} j WHERE ${where} LIMIT 1`, values)).length > 0;
  }

  /** Claims the first ready jobs, skipping those that another instance is claiming. As an array, PostgreSQL evaluates the list once. */
  async claim(claim: Claim): Promise<Row[]> {
    const { limit, filter, ids, without = [], full } = claim;
    const { table, owner } = this.#options;
    if (table.order_by_index) await orderByIndex(this.#db);
    const { values, bind } = binder();
    const set = [`${this.#owner} = ${bind(owner)}`, this.#renewed, table.start?.(bind), filter?.set?.(bind)];
    const where = [this.#ready(claim, bind), filter?.where?.(bind)];
    if (ids) where.push(`j.id IN (${list_of(ids, bind)})`);
    if (without.length > 0) where.push(`j.id NOT IN (${list_of(without, bind)})`);
    for (const key of full?.keys ?? [])
      where.push(`NOT (${full?.columns.map((column, at) => `j.${column} = ${bind(key[at] ?? null)}`).join(' AND ')})`);
    const picked = `SELECT j.id FROM ${table.name} j WHERE ${nonEmpty(where).join(' AND ')} ORDER BY ${table.order} LIMIT ${limit}`;
    const list = this.#postgres ? `= ANY (ARRAY(${picked} FOR UPDATE OF j SKIP LOCKED))` : `IN (${picked})`;
    const { returning = '*' } = table;
    // Varying texts are not worth preparing.
    const often = returning !== '*' && !ids && without.length === 0 && !full?.keys.length && !filter?.ready;
    const sql = `UPDATE ${table.name} SET ${nonEmpty(set).join(', ')} WHERE id ${list} RETURNING ${returning}`;
    return this.#db.rows<Row>(sql, values, { often });
  }

  /** Renews leases; returns the ids that this worker still has. Locks rows in one order, so that concurrent updates can't deadlock. */
  async renew(ids: readonly JobId[]): Promise<Set<string>> {
    const { values, bind } = binder();
    const { table, owner } = this.#options;
    const held = `${this.#owner} = ${bind(owner)} AND (${table.active})`;
    const list = list_of(ids, bind);
    const among = this.#postgres ? `SELECT o.id FROM ${table.name} o WHERE o.id IN (${list}) ORDER BY o.id FOR UPDATE` : list;
    const sql = `UPDATE ${table.name} SET ${this.#renewed} WHERE ${held} AND id IN (${among}) RETURNING id`;
    return new Set((await this.#db.rows<JobRow>(sql, values)).map(({ id }) => String(id)));
  }

  /** Releases a job, due again in `wait_ms` by the database's clock. */
  async release(id: JobId, wait_ms: number): Promise<void> {
    const due = `${this.#lease} = ${this.#now} + ${Math.round(wait_ms)}`;
    const sql = `UPDATE ${this.#table} SET ${this.#owner} = NULL, ${due} WHERE id = $1 AND ${this.#owner} = $2`;
    await this.#db.run(sql, [id, this.#options.owner]);
  }

  /** Reads jobs of dead workers. A read for the same reason as {@link anyReady}. */
  readExpired(dead: Dead): Promise<Row[]> {
    const { values, bind } = binder();
    return this.#db.rows<Row>(`SELECT * FROM ${this.#table} WHERE ${this.#dead(dead, bind)}`, values);
  }

  /** Claims jobs of dead workers; each goes to one of several concurrent instances. */
  claimExpired(dead: Dead): Promise<Row[]> {
    const { table, owner } = this.#options;
    const { values, bind } = binder();
    const set = `${this.#owner} = ${bind(owner)}, ${this.#renewed}`;
    return this.#db.rows<Row>(
      `UPDATE ${table.name} SET ${set} WHERE ${this.#dead(dead, bind)} RETURNING ${table.returning ?? '*'}`,
      values,
    );
  }

  /** Makes all jobs of other processes due at once. */
  async releaseOthers(): Promise<void> {
    const { values, bind } = binder();
    const where = this.#dead('others', bind);
    await this.#db.run(`UPDATE ${this.#table} SET ${this.#owner} = NULL, ${this.#lease} = ${this.#now} WHERE ${where}`, values);
  }

  get #table(): string {
    return this.#options.table.name;
  }

  #ready({ filter, early }: Pick<Claim, 'filter' | 'early'>, bind: Bind): string {
    const { table, retries } = this.#options;
    const ready = (filter?.ready ?? table.ready)(bind);
    if (!retries) return `(${ready})`;
    const due = table.due?.(this.#now) ?? `j.${this.#lease} <= ${this.#now}`;
    return `(${ready}) AND (${early ? `j.${this.#owner} IS NULL OR ` : ''}${due})`;
  }

  #dead(dead: Dead, bind: Bind): string {
    const { table, instance } = this.#options;
    const is = dead === 'lapsed' ? `${this.#lease} < ${this.#now}` : `substr(${this.#owner}, 1, ${instance.length}) <> ${bind(instance)}`;
    return `(${table.active}) AND ${this.#owner} IS NOT NULL AND ${is}`;
  }
}

function binder(): { values: SqlValue[]; bind: Bind } {
  const values: SqlValue[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

function list_of(ids: readonly JobId[], bind: Bind): string {
  return ids.length === 0 ? 'NULL' : ids.map(bind).join(', ');
}

function nonEmpty(parts: readonly (string | undefined)[]): string[] {
  return parts.filter((part) => part !== undefined && part !== '') as string[];
}
