import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Context, Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { explain } from '../engines/failures.js';
import { toRemove } from '../store/jobs-sql.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import type { NodeDeletion } from './deletion.js';
import { type NodeClaim, NodeJobs } from './jobs.js';
import { removeAll } from './removal.js';

export interface RemoverParts {
  nodes: NodeStore;
  changes: Changes;
  work: Context['work'];
  departures: NodeDeletion;
  log: Log;
  /** Installation's UUID. */
  platform: string;
  docker: (node: StoredNode) => Promise<Docker>;
}

/** Time that a deletion waits for the engine, in ms. */
const max_wait_ms = 15_000;
/** Interval of checks whether the process that creates the node has released it, in ms. */
const poll_ms = 100;

/** Result of a removal. `gone`: nothing is left. `away`: its engine failed; it is retried. `held`: another process works on it. */
type Removal = 'gone' | 'away' | 'held';

/** Removes the resources of deleted nodes from engines, and then their rows. */
export class NodeRemover {
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

  /** Removes a marked node; returns whether that was done within fifteen seconds. Otherwise it continues in the background. */
  async remove(id: number): Promise<boolean> {
    const late = new AbortController();
    const limit = sleep(max_wait_ms, 'held' as const, { signal: late.signal }).catch(() => 'held' as const);
    const end = Date.now() + max_wait_ms;
    try {
      for (;;) {
        const ended = await Promise.race([this.jobs.tryRun(id, (held) => this.#attempt(id, held)), limit]);
        const removal = typeof ended === 'object' ? ended.value : 'held';
        if (removal !== 'held') return removal === 'gone';
        if (!(await this.#parts.nodes.find(id))) return true;
        if (Date.now() >= end) return false;
        await sleep(poll_ms);
      }
    } finally {
      late.abort();
    }
  }

  async #attempt(id: number, held: NodeClaim): Promise<Removal> {
    const { nodes, departures } = this.#parts;
    const node = await nodes.find(id);
    if (node?.status !== 'removing') return node ? 'held' : 'gone';
    if (!(await this.#cleared(node, held))) return 'away';
    await departures.drop(id);
    return 'gone';
  }

  async #cleared(node: StoredNode, { signal, retry: again }: NodeClaim): Promise<boolean> {
    const { changes, docker, platform, log } = this.#parts;
    try {
      await removeAll(await docker(node), platform, node);
      return true;
    } catch (fault) {
      if (signal.aborted) throw signal.reason;
      again();
      const { code, message } = explain(fault, node.host);
      const news = (now: StoredNode) => now.reason !== message;
      const announced = await changes.move(node.id, { from: ['removing'], where: news, to: { reason: message, reason_code: code } });
      if (announced) log.warn(`Work node ${node.id} could not be removed yet: ${message}`, { id: node.id, code });
      return false;
    }
  }
}
