import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Context, Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { explain } from '../engines/failures.js';
import { toRemove } from '../store/jobs-sql.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import type { Departures } from './departures.js';
import { type Held, NodeJobs } from './jobs.js';
import { removeAll } from './removal.js';

export interface RemoverParts {
  nodes: NodeStore;
  changes: Changes;
  work: Context['work'];
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
  readonly jobs: NodeJobs;

  constructor(parts: RemoverParts) {
    this.#parts = parts;
    this.jobs = new NodeJobs({
      ...parts,
      name: 'removing',
      condition: toRemove,
      attempt: (id, held) => this.#attempt(id, held),
    });
  }

  /** Removes one that is marked; gives whether it was done within fifteen seconds. Otherwise it goes on. */
  async remove(id: number): Promise<boolean> {
    const late = new AbortController();
    const limit = sleep(patience_ms, 'held' as const, { signal: late.signal }).catch(() => 'held' as const);
    const end = Date.now() + patience_ms;
    try {
      for (;;) {
        const ended = await Promise.race([this.jobs.tryRun(id, (held) => this.#attempt(id, held)), limit]);
        const removal = typeof ended === 'object' ? ended.value : 'held';
        if (removal !== 'held') return removal === 'gone';
        if (!(await this.#parts.nodes.find(id))) return true;
        if (Date.now() >= end) return false;
        await sleep(look_ms);
      }
    } finally {
      late.abort();
    }
  }

  async #attempt(id: number, held: Held): Promise<Removal> {
    const { nodes, departures } = this.#parts;
    const node = await nodes.find(id);
    if (node?.status !== 'removing') return node ? 'held' : 'gone';
    if (!(await this.#cleared(node, held))) return 'away';
    await departures.drop(id);
    return 'gone';
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
