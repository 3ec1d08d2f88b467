import { type Database, isUniqueViolation, Op } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { NodeQuery } from '../contract.js';
import type { Models, NodeRow } from '../models.js';
import { fieldsOf, folded, type NodePatch, type StoredNode, toStored, visible } from './stored.js';

/** New node with the status `creating`. */
export type NewRow = Pick<NodeRow, 'name' | 'node_type' | 'host' | 'config' | 'sealed' | 'created_by' | 'request_key'>;

/** Statuses of monitored nodes. */
const watched: NodeRow['status'][] = ['online', 'offline'];

/** Initial values of a new node. */
const initial = {
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

/** Stores nodes in `nodes_nodes`. */
export class NodeStore {
  readonly #db: Database;
  readonly #models: Models;

  constructor(db: Database, models: Models) {
    this.#db = db;
    this.#models = models;
  }

  /** Inserts a node. Fails with `node_name_taken`, which aborts the current transaction. */
  async insert({ request_key, ...given }: NewRow, now: string): Promise<StoredNode> {
    const row = { ...given, ...initial, since: now, created_at: now, updated_at: now };
    const keys = { folded_name: folded(given.name), request_key };
    const { id } = await explainTaken(given.name, this.#models.nodes.create({ ...row, ...keys }));
    return toStored({ ...row, id });
  }

  async find(id: number): Promise<StoredNode | undefined> {
    return stored(await this.#models.nodes.findOne({ ...visible, where: { id } }));
  }

  /** Finds and locks a node for a change in the current transaction. */
  async lock(id: number): Promise<StoredNode | undefined> {
    return stored(await this.#models.nodes.findOne({ ...visible, where: { id }, lock: true }));
  }

  /** Finds the node that a request has created since a time. Clears the key of an older one, because the key may be reused. */
  async byRequest(request_key: string, since: string): Promise<StoredNode | undefined> {
    await this.#models.nodes.update({ request_key: null }, { where: { request_key, created_at: { [Op.lt]: since } } });
    return stored(await this.#models.nodes.findOne({ ...visible, where: { request_key } }));
  }

  /** Finds the nodes that exist. */
  async byIds(ids: readonly number[]): Promise<StoredNode[]> {
    return (await this.#models.nodes.findAll({ ...visible, where: { id: [...ids] }, order: ['id'] })).map(toStored);
  }

  /** Returns all nodes: an installation has tens, at most thousands. */
  async all(): Promise<StoredNode[]> {
    return (await this.#models.nodes.findAll({ ...visible, order: ['id'] })).map(toStored);
  }

  /** Returns a page of the matching nodes, oldest first, and their number. */
  async page({ status, limit, offset }: NodeQuery): Promise<{ items: StoredNode[]; total: number }> {
    const where = status === undefined ? {} : { status };
    const { rows, count } = await this.#models.nodes.findAndCountAll({ ...visible, where, order: ['id'], limit, offset });
    return { items: rows.map(toStored), total: count };
  }

  /**
   * Changes a node; `since` changes with its status. Undefined if it is gone; fails with `node_name_taken`, which
   * aborts the current transaction.
   */
  update(id: number, patch: NodePatch, now: string): Promise<StoredNode | undefined> {
    return this.#db.transaction(async () => {
      const before = await this.lock(id);
      if (!before) return undefined;
      const { status = before.status } = patch;
      const times = { since: status === before.status ? before.since : now, updated_at: now };
      await explainTaken(patch.name, this.#models.nodes.update({ ...fieldsOf(patch), ...times }, { where: { id } }));
      return { ...before, ...patch, ...times };
    });
  }

  /** Records that these nodes have answered. */
  async recordAnswers(ids: readonly number[], now: string): Promise<void> {
    if (ids.length === 0) return;
    await this.#models.nodes.update({ last_heartbeat: now, misses: 0 }, { where: { status: watched, id: [...ids] } });
  }

  /** Counts an unanswered probe of these nodes; returns them. */
  async countMisses(ids: readonly number[]): Promise<StoredNode[]> {
    if (ids.length === 0) return [];
    const where = { status: watched, id: [...ids] };
    return this.#db.transaction(async () => {
      await this.#models.nodes.increment('misses', { where });
      return (await this.#models.nodes.findAll({ ...visible, where, order: ['id'] })).map(toStored);
    });
  }

  /** Returns the UUID of this installation, which labels all its resources in engines. */
  async platform(): Promise<string> {
    const row = await this.#models.platform.findOne({ raw: true });
    if (!row) throw new Error('The table nodes_platform is empty');
    return row.id;
  }

  /** Deletes a node; returns whether it existed. */
  async delete(id: number): Promise<boolean> {
    return (await this.#models.nodes.destroy({ where: { id } })) > 0;
  }
}

function stored(row: NodeRow | null): StoredNode | undefined {
  return row ? toStored(row) : undefined;
}

async function explainTaken<T>(name: string | undefined, written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (fault) {
    if (!isUniqueViolation(fault)) throw fault;
    throw fail('node_name_taken', `There is already a node named '${name}'; choose another name`);
  }
}
