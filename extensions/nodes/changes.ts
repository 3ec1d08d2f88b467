import type { Clock, Database } from '../../kernel/contract/index.js';
import type { NodeChanged, NodeStatus } from './contract.js';
import type { NodeStore } from './store/nodes.js';
import type { NodePatch, StoredNode } from './store/stored.js';

export interface ChangesParts {
  db: Database;
  clock: Clock;
  nodes: NodeStore;
  /** Emits the event `nodes.changed`. */
  emit: (change: NodeChanged) => Promise<void>;
  /** Sends the node's current state to clients. */
  broadcast: (stored: StoredNode) => void;
}

export interface NodeMove {
  /** Statuses the node must have; any if omitted. */
  from?: readonly NodeStatus[];
  /** Additional condition. */
  where?: (stored: StoredNode) => boolean;
  to: NodePatch;
}

/** Applies all changes of nodes: under the row's lock, with the event, and broadcast to clients after the commit. */
export class Changes {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** Changes a node and returns it; undefined if it is gone or not in the expected state. */
  async move(id: number, { from, where, to }: NodeMove): Promise<StoredNode | undefined> {
    const { db, clock, nodes, broadcast: told } = this.#parts;
    const moved = await db.transaction(async () => {
      const stored = await nodes.lock(id);
      if (!stored || (from && !from.includes(stored.status)) || (where && !where(stored))) return undefined;
      const updated = await nodes.update(id, to, clock.iso());
      if (updated) await this.#emit(updated, stored);
      return updated;
    });
    if (moved) db.afterCommit(() => told(moved));
    return moved;
  }

  /** Announces a new node. Runs inside the transaction that inserts it. */
  async added(stored: StoredNode): Promise<void> {
    await this.#emit(stored, undefined);
    this.#parts.db.afterCommit(() => this.#parts.broadcast(stored));
  }

  async #emit(now: StoredNode, before: StoredNode | undefined): Promise<void> {
    const { id, name, status, reason, reason_code, draining } = now;
    const same = before?.status === status && before.draining === draining && before.reason_code === reason_code;
    if (!same) await this.#parts.emit({ id, name, status, previous: before?.status ?? null, reason, reason_code, draining });
  }
}
