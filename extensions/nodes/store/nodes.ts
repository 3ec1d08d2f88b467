import { type Database, isUniqueViolation, type SqlValue } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { NodeQuery } from '../contract.js';
import { columns, fieldsOf, folded, type NodePatch, type Row, toStored } from './node-row.js';
import type { StoredNode } from './stored.js';

/** A node that is made, in the status `creating`. */
export interface NewRow extends Pick<StoredNode, 'name' | 'node_type' | 'host' | 'config' | 'sealed' | 'created_by'> {
  /** Of the request that makes it; null where it has none. */
  request_key: string | null;
}

/** Table `nodes_nodes`: the nodes themselves. */
export class NodeStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Fails with `node_name_taken`. */
  async insert({ name, node_type, host, config, sealed, created_by, request_key }: NewRow, now: string): Promise<StoredNode> {
    const [row] = await this.#db.rows<Row>(
      `INSERT INTO nodes_nodes (name, folded_name, node_type, host, config, sealed, created_by, request_key, since, created_at, updated_at,
         status, reason, reason_code, draining, fenced, walls_reason, misses)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9, 'creating', '', '', 0, 0, '', 0)
       ON CONFLICT (folded_name) DO NOTHING RETURNING ${columns}`,
      [name, folded(name), node_type, host, JSON.stringify(config), sealed, created_by, request_key, now],
    );
    if (!row) throw taken(name);
    return toStored(row);
  }

  async find(id: number): Promise<StoredNode | undefined> {
    return this.#one('id = $1', [id]);
  }

  /** The same, for one that is changed in the transaction that runs here. */
  async lock(id: number): Promise<StoredNode | undefined> {
    return this.#one('id = $1 FOR UPDATE', [id]);
  }

  /** The one that a request has made since then. One that is older forgets its request, whose key may come again. */
  async byRequest(request_key: string, since: string): Promise<StoredNode | undefined> {
    await this.#db.run('UPDATE nodes_nodes SET request_key = NULL WHERE request_key = $1 AND created_at < $2', [request_key, since]);
    return this.#one('request_key = $1', [request_key]);
  }

  /** Of those that exist of the given. */
  async byIds(ids: readonly number[]): Promise<StoredNode[]> {
    const rows = await this.#db.rows<Row>(`SELECT ${columns} FROM nodes_nodes WHERE id IN (${places(ids)}) ORDER BY id`, ids);
    return rows.map(toStored);
  }

  /** All of them: an installation has tens, at most thousands. */
  async all(): Promise<StoredNode[]> {
    return (await this.#db.rows<Row>(`SELECT ${columns} FROM nodes_nodes ORDER BY id`)).map(toStored);
  }

  /** A page of those that match, the oldest first, and how many there are. */
  async page({ status, limit, offset }: NodeQuery): Promise<{ items: StoredNode[]; total: number }> {
    const values: SqlValue[] = [];
    const where = status === undefined ? '1 = 1' : `status = $${values.push(status)}`;
    const [count] = await this.#db.rows<{ total: number | string }>(`SELECT count(*) AS total FROM nodes_nodes WHERE ${where}`, values);
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM nodes_nodes WHERE ${where} ORDER BY id LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`,
      values,
    );
    return { items: rows.map(toStored), total: Number(count?.total ?? 0) };
  }

  /**
   * Changes one; `since` moves where its status does. Undefined where there is none any more; fails with
   * `node_name_taken`, which ends the transaction that runs here.
   */
  async update(id: number, patch: NodePatch, now: string): Promise<StoredNode | undefined> {
    const values: SqlValue[] = [now];
    const assignments = Object.entries(fieldsOf(patch)).map(([column, value]) => `${column} = $${values.push(value)}`);
    if (patch.status !== undefined) assignments.push(`since = CASE WHEN status = $${values.push(patch.status)} THEN since ELSE $1 END`);
    try {
      const [row] = await this.#db.rows<Row>(
        `UPDATE nodes_nodes SET ${['updated_at = $1', ...assignments].join(', ')} WHERE id = $${values.push(id)} RETURNING ${columns}`,
        values,
      );
      return row && toStored(row);
    } catch (fault) {
      throw isUniqueViolation(fault) ? taken(patch.name ?? '') : fault;
    }
  }

  /** These have answered. */
  async beat(ids: readonly number[], now: string): Promise<void> {
    if (ids.length === 0) return;
    await this.#db.run(
      `UPDATE nodes_nodes SET last_heartbeat = $1, misses = 0 WHERE status IN ('online', 'offline') AND id IN (${places(ids, 2)})`,
      [now, ...ids],
    );
  }

  /** These have not. Gives them with their misses counted. */
  async missed(ids: readonly number[]): Promise<StoredNode[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db.rows<Row>(
      `UPDATE nodes_nodes SET misses = misses + 1 WHERE status IN ('online', 'offline') AND id IN (${places(ids)}) RETURNING ${columns}`,
      ids,
    );
    return rows.map(toStored);
  }

  /** The UUID of this installation, which marks all that it has in engines. */
  async platform(): Promise<string> {
    const [row] = await this.#db.rows<{ id: string }>('SELECT id FROM nodes_platform');
    if (!row) throw new Error('The table nodes_platform is empty');
    return row.id;
  }

  /** Whether it was there. */
  async delete(id: number): Promise<boolean> {
    return (await this.#db.run('DELETE FROM nodes_nodes WHERE id = $1', [id])) > 0;
  }

  async #one(where: string, values: readonly SqlValue[]): Promise<StoredNode | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM nodes_nodes WHERE ${where}`, values);
    return row && toStored(row);
  }
}

/** The placeholders of a list of values. An empty list gives one that matches nothing. */
function places(values: readonly unknown[], first = 1): string {
  return values.length === 0 ? 'NULL' : values.map((_value, index) => `$${first + index}`).join(', ');
}

function taken(name: string) {
  return fail('node_name_taken', `There is a node with the name '${name}' already; give it another`);
}
