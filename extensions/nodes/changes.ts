import type { Clock, Database } from '../../kernel/contract/index.js';
import type { NodeChanged, NodeStatus } from './contract.js';
import type { NodeStore } from './store/nodes.js';
import type { NodePatch, StoredNode } from './store/stored.js';

export interface ChangesParts {
  db: Database;
  clock: Clock;
  nodes: NodeStore;
  /** Writes the event `nodes.changed`. */
  emit: (change: NodeChanged) => Promise<void>;
  /** Tells clients of a node as it is now. */
  told: (stored: StoredNode) => void;
}

export interface Move {
  /** Only where it has one of these; whatever it has where left out. */
  from?: readonly NodeStatus[];
  /** Only where this holds as well. */
  where?: (stored: StoredNode) => boolean;
  to: NodePatch;
}

/** The only way in which a node changes: under its row's lock, with its event, and told to clients afterwards. */
export class Changes {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** Gives the node as it is then, or undefined where it is gone or not as it was expected. */
  async move(id: number, { from, where, to }: Move): Promise<StoredNode | undefined> {
    const { db, clock, nodes, told } = this.#parts;
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

  /** Tells of one that is new. Inside the transaction that makes it. */
  async added(stored: StoredNode): Promise<void> {
    await this.#emit(stored, undefined);
    this.#parts.db.afterCommit(() => this.#parts.told(stored));
  }

  async #emit(now: StoredNode, before: StoredNode | undefined): Promise<void> {
    const { id, name, status, reason, reason_code, draining } = now;
    const same = before?.status === status && before.draining === draining && before.reason_code === reason_code;
    if (!same) await this.#parts.emit({ id, name, status, previous: before?.status ?? null, reason, reason_code, draining });
  }
}
