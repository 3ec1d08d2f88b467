import type { Database } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { fail } from '../codes.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';

export interface DeparturesParts {
  db: Database;
  nodes: NodeStore;
  changes: Changes;
  /** Writes the event `nodes.deleted`. */
  emit: (deleted: { id: number; name: string }) => Promise<void>;
  /** Tells clients that a node is gone. */
  gone: (id: number) => void;
}

type Why = Pick<StoredNode, 'reason' | 'reason_code'>;

/** How nodes go: first from all who use them, then from their engine, then from the table. */
export class Departures {
  readonly #parts: DeparturesParts;

  constructor(parts: DeparturesParts) {
    this.#parts = parts;
  }

  /**
   * From now on it takes no work, and what runs on it is ended. One that goes already stays as it is.
   *
   * @throws `node_not_found`
   */
  async mark(id: number, why: Why = { reason: '', reason_code: '' }): Promise<StoredNode> {
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

  /** Takes its row, and its name is free. */
  async drop(id: number): Promise<void> {
    const { db, nodes, gone } = this.#parts;
    await db.transaction(async () => {
      const stored = await nodes.lock(id);
      if (!stored) return;
      if (stored.status !== 'removing') await this.mark(id);
      await nodes.delete(id);
      db.afterCommit(() => gone(id));
    });
  }
}
