import type { Database } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { fail } from '../codes.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';

export interface DeparturesParts {
  db: Database;
  nodes: NodeStore;
  changes: Changes;
  /** Emits the event `nodes.deleted`. */
  emit: (deleted: { id: number; name: string }) => Promise<void>;
  /** Tells clients that a node was deleted. */
  broadcastRemoved: (id: number) => void;
}

type DeletionReason = Pick<StoredNode, 'reason' | 'reason_code'>;

/** Deletes nodes in steps: first for their users, then in the engine, then in the table. */
export class NodeDeletion {
  readonly #parts: DeparturesParts;

  constructor(parts: DeparturesParts) {
    this.#parts = parts;
  }

  /**
   * Marks a node as removed: it takes no work, and work on it ends. A node already marked stays as it is.
   *
   * @throws `node_not_found`
   */
  async mark(id: number, why: DeletionReason = { reason: '', reason_code: '' }): Promise<StoredNode> {
    const { db, nodes, changes, emit } = this.#parts;
    return db.transaction(async () => {
      const stored = await nodes.lock(id);
      if (!stored) throw fail('node_not_found', `There is no work node ${id}`);
      if (stored.status === 'removing') return stored;
      const marked = await changes.move(id, { to: { status: 'removing', ...why } });
      await emit({ id, name: stored.name });
      return marked ?? stored;
    });
  }

  /** Deletes its row and frees its name. */
  async drop(id: number): Promise<void> {
    const { db, nodes, broadcastRemoved: gone } = this.#parts;
    await db.transaction(async () => {
      const stored = await nodes.lock(id);
      if (!stored) return;
      if (stored.status !== 'removing') await this.mark(id);
      await nodes.delete(id);
      db.afterCommit(() => gone(id));
    });
  }
}
