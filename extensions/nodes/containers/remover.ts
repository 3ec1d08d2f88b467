import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { explain } from '../engines/failures.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import type { Departures } from './departures.js';
import { removeAll } from './removal.js';
import type { Held, Works } from './works.js';

export interface RemoverParts {
  nodes: NodeStore;
  changes: Changes;
  works: Works;
  departures: Departures;
  log: Log;
  /** The installation's UUID. */
  platform: string;
  docker: (node: StoredNode) => Promise<Docker>;
}

/** How long a deletion waits for the engine, in ms. */
const patience_ms = 15_000;
/** How often it is looked whether who makes the node has let go of it, in ms. */
const look_ms = 100;

/** `gone`: nothing of it is left. `away`: its engine didn't do it; it is tried again. `held`: another works on it. */
type Removal = 'gone' | 'away' | 'held';

/** Removes what engines have of nodes that were deleted, and then their rows. */
export class Remover {
  readonly #parts: RemoverParts;

  constructor(parts: RemoverParts) {
    this.#parts = parts;
  }

  /** Removes one that is marked; gives whether it was done within fifteen seconds. Otherwise it goes on. */
  async remove(id: number): Promise<boolean> {
    const late = new AbortController();
    const limit = sleep(patience_ms, 'held' as const, { signal: late.signal }).catch(() => 'held' as const);
    const end = Date.now() + patience_ms;
    try {
      for (;;) {
        const ended = await Promise.race([this.pursue(id, true), limit]);
        if (ended === 'gone' || ended === 'away') return ended === 'gone';
        if (!(await this.#parts.nodes.find(id))) return true;
        if (Date.now() >= end) return false;
        await sleep(look_ms);
      }
    } finally {
      late.abort();
    }
  }

  /** One attempt; `urgent` where somebody waits for it. */
  async pursue(id: number, urgent = false): Promise<Removal> {
    const { nodes, works, departures } = this.#parts;
    const run = async (held: Held): Promise<Removal> => {
      const node = await nodes.find(id);
      if (node?.status !== 'removing') return node ? 'held' : 'gone';
      if (!(await this.#cleared(node, held))) return 'away';
      await departures.drop(id);
      return 'gone';
    };
    const ended = await works.run({ id, status: ['removing'], urgent, run });
    return ended?.value ?? 'held';
  }

  async #cleared(node: StoredNode, { signal, again }: Held): Promise<boolean> {
    const { changes, docker, platform, log } = this.#parts;
    try {
      await removeAll(await docker(node), platform, node);
      return true;
    } catch (fault) {
      if (signal.aborted) throw signal.reason;
      again();
      const { code, message } = explain(fault, node.host);
      const news = (now: StoredNode) => now.reason !== message;
      const told = await changes.move(node.id, { from: ['removing'], where: news, to: { reason: message, reason_code: code } });
      if (told) log.warn(`Work node ${node.id} waits to be removed: ${message}`, { id: node.id, code });
      return false;
    }
  }
}
