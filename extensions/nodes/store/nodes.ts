import { type Database, isUniqueViolation, Op } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { NodeQuery } from '../contract.js';
import type { Models, NodeRow } from '../models.js';
import { fieldsOf, folded, type NodePatch, type StoredNode, toStored, visible } from './stored.js';

/** A node that is made, in the status `creating`. */
export type NewRow = Pick<NodeRow, 'name' | 'node_type' | 'host' | 'config' | 'sealed' | 'created_by' | 'request_key'>;

/** Statuses of nodes whose container is watched. */
const watched: NodeRow['status'][] = ['online', 'offline'];

/** A node that nothing was made of yet. */
const fresh = {
  status: 'creating',
  reason: '',
  reason_code: '',
  draining: 0,
  shell: null,
  fenced: 0,
  walls_reason: '',
  container_id: null,
  started_at: null,
  last_heartbeat: null,
  misses: 0,
} as const;

/** Table `nodes_nodes`: the nodes themselves. */
export class NodeStore {
  readonly #db: Database;
  readonly #models: Models;

  constructor(db: Database, models: Models) {
    this.#db = db;
    this.#models = models;
  }

  /** Fails with `node_name_taken`, which ends the transaction that runs here. */
  async insert({ request_key, ...given }: NewRow, now: string): Promise<StoredNode> {
    const row = { ...given, ...fresh, since: now, created_at: now, updated_at: now };
    const keys = { folded_name: folded(given.name), request_key };
    const { id } = await unlessTaken(given.name, this.#models.nodes.create({ ...row, ...keys }));
    return toStored({ ...row, id });
  }

  async find(id: number): Promise<StoredNode | undefined> {
    return stored(await this.#models.nodes.findOne({ ...visible, where: { id } }));
  }

  /** The same, for one that is changed in the transaction that runs here. */
  async lock(id: number): Promise<StoredNode | undefined> {
    return stored(await this.#models.nodes.findOne({ ...visible, where: { id }, lock: true }));
  }

  /** Finds the node that a request has made since then. An older one forgets its request, whose key may come again. */
  async byRequest(request_key: string, since: string): Promise<StoredNode | undefined> {
    await this.#models.nodes.update({ request_key: null }, { where: { request_key, created_at: { [Op.lt]: since } } });
    return stored(await this.#models.nodes.findOne({ ...visible, where: { request_key } }));
  }

  /** Finds those that exist of the given. */
  async byIds(ids: readonly number[]): Promise<StoredNode[]> {
    return (await this.#models.nodes.findAll({ ...visible, where: { id: [...ids] }, order: ['id'] })).map(toStored);
  }

  /** All of them: an installation has tens, at most thousands. */
  async all(): Promise<StoredNode[]> {
    return (await this.#models.nodes.findAll({ ...visible, order: ['id'] })).map(toStored);
  }

  /** A page of those that match, the oldest first, and how many there are. */
  async page({ status, limit, offset }: NodeQuery): Promise<{ items: StoredNode[]; total: number }> {
    const where = status === undefined ? {} : { status };
    const { rows, count } = await this.#models.nodes.findAndCountAll({ ...visible, where, order: ['id'], limit, offset });
    return { items: rows.map(toStored), total: count };
  }

  /**
   * Changes one; `since` moves where its status does. Undefined where there is none any more; fails with
   * `node_name_taken`, which ends the transaction that runs here.
   */
  update(id: number, patch: NodePatch, now: string): Promise<StoredNode | undefined> {
    return this.#db.transaction(async () => {
      const before = await this.lock(id);
      if (!before) return undefined;
      const { status = before.status } = patch;
      const times = { since: status === before.status ? before.since : now, updated_at: now };
      await unlessTaken(patch.name, this.#models.nodes.update({ ...fieldsOf(patch), ...times }, { where: { id } }));
      return { ...before, ...patch, ...times };
    });
  }

  /** Notes that these have answered. */
  async beat(ids: readonly number[], now: string): Promise<void> {
    if (ids.length === 0) return;
    await this.#models.nodes.update({ last_heartbeat: now, misses: 0 }, { where: { status: watched, id: [...ids] } });
  }

  /** Counts that these have not answered; gives them. */
  async missed(ids: readonly number[]): Promise<StoredNode[]> {
    if (ids.length === 0) return [];
    const where = { status: watched, id: [...ids] };
    return this.#db.transaction(async () => {
      await this.#models.nodes.increment('misses', { where });
      return (await this.#models.nodes.findAll({ ...visible, where, order: ['id'] })).map(toStored);
    });
  }

  /** The UUID of this installation, which marks all that it has in engines. */
  async platform(): Promise<string> {
    const row = await this.#models.platform.findOne({ raw: true });
    if (!row) throw new Error('The table nodes_platform is empty');
    return row.id;
  }

  /** Whether it was there. */
  async delete(id: number): Promise<boolean> {
    return (await this.#models.nodes.destroy({ where: { id } })) > 0;
  }
}

function stored(row: NodeRow | null): StoredNode | undefined {
  return row ? toStored(row) : undefined;
}

async function unlessTaken<T>(name: string | undefined, written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (fault) {
    if (!isUniqueViolation(fault)) throw fault;
    throw fail('node_name_taken', `There is a node with the name '${name}' already; give it another`);
  }
}
