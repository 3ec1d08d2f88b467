import type Docker from 'dockerode';
import { type Context, type Failure, isFailure, type Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import type { PullProgress } from '../contract.js';
import { explain } from '../engines/failures.js';
import { toMake } from '../store/jobs-sql.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import type { Creation } from './creation.js';
import type { NodeDeletion } from './deletion.js';
import { type NodeClaim, NodeJobs, type NodeJobsParts } from './jobs.js';
import { removeAll } from './removal.js';

export interface NodeCreatorParts {
  nodes: NodeStore;
  changes: Changes;
  work: Context['work'];
  lease?: NodeJobsParts['lease'];
  creation: Pick<Creation, 'make'>;
  log: Log;
  /** Installation's UUID. */
  platform: string;
  docker: (node: StoredNode) => Promise<Docker>;
  /** Starts what must be done to a freshly started container before anyone uses it. */
  prepare: (node: StoredNode) => void;
  /** Reports the progress of its image pull to clients. */
  progress: (node: StoredNode, progress: PullProgress) => void;
  now: () => string;
  departures: NodeDeletion;
}

/** State of the walls of a node that was just created. */
export const pending_walls = { fenced: false, reason: 'Being set up' } as const;

/** Statuses in which a node may be created. */
const creatable_statuses = ['creating', 'offline'] as const;

/** Creates a node's container from its row, and records the result. */
export class NodeCreator {
  readonly #parts: NodeCreatorParts;
  readonly jobs: NodeJobs;

  constructor(parts: NodeCreatorParts) {
    this.#parts = parts;
    this.jobs = new NodeJobs({
      ...parts,
      name: 'making',
      condition: toMake,
      attempt: (id, held) => this.#pursue(id, held),
    });
  }

  /**
   * Creates a claimed node for a waiting caller: on failure nothing of it is left.
   *
   * @throws the reason why it can't be created
   */
  make(node: StoredNode): Promise<StoredNode> {
    return this.jobs.run(node.id, async (held) => {
      const engine = { reached: false };
      try {
        return await this.#attempt(node, held, () => {
          engine.reached = true;
        });
      } catch (fault) {
        await this.#sweep(node);
        if (await isOurs(held)) await this.#discard(node, held, engine);
        throw fault;
      }
    });
  }

  /** Creates or retries a node in the background; the result is recorded in its row. */
  async createInBackground(id: number, { taken = false } = {}): Promise<void> {
    const attempt = (held: NodeClaim) => this.#pursue(id, held);
    const made = taken ? this.jobs.run(id, attempt) : this.jobs.tryRun(id, attempt);
    await made.catch((fault: unknown) => this.#parts.log.error('Could not create a work node', { id, fault }));
  }

  async #pursue(id: number, held: NodeClaim): Promise<void> {
    const node = await this.#parts.nodes.find(id);
    if (!node || node.container_id !== null || !creatable_statuses.some((status) => status === node.status)) return;
    try {
      await this.#attempt(node, held);
    } catch (fault) {
      await this.#sweep(node);
      if (await isOurs(held)) await this.#failed(node, failureOf(fault, node), held);
    }
  }

  async #attempt(node: StoredNode, { signal }: NodeClaim, reached: () => void = () => undefined): Promise<StoredNode> {
    const { creation, docker, prepare, changes, progress, now } = this.#parts;
    const client = await docker(node);
    const made = await creation.make(node, {
      docker: client,
      signal,
      onProgress: (found) => progress(node, found),
      onReached: async () => {
        reached();
        await changes.move(node.id, { from: ['offline'], to: { status: 'creating', reason: '', reason_code: '' } });
      },
    });
    const walls = node.config.network === 'none' ? { fenced: true, reason: '' } : pending_walls;
    const to = { ...made, walls, status: 'online', reason: '', reason_code: '', misses: 0, last_heartbeat: now() } as const;
    const online = await changes.move(node.id, { from: creatable_statuses, to });
    if (!online) throw signal.reason ?? new Error(`Work node ${node.id} went while it was made`);
    prepare(online);
    return online;
  }

  async #failed(node: StoredNode, { code, message, status, cause }: Failure, { retry: again }: NodeClaim): Promise<void> {
    const { changes, log } = this.#parts;
    const to = { reason: message, reason_code: code };
    if (status === 503) {
      again();
      // Announce it once, however often it is retried.
      const news = (now: StoredNode) => now.status !== 'offline' || now.reason !== message;
      await changes.move(node.id, { from: creatable_statuses, where: news, to: { status: 'offline', ...to } });
      return;
    }
    log.warn(`Work node ${node.id} could not be created: ${message}`, { id: node.id, code, fault: cause });
    await this.#clear(node);
    // Retry a node whose address or secrets have changed since this attempt began.
    const same = (now: StoredNode) => now.sealed === node.sealed && now.config.host_key === node.config.host_key;
    if (!(await changes.move(node.id, { from: creatable_statuses, where: same, to: { status: 'error', ...to } }))) again();
  }

  /** Removes everything. If the engine becomes unreachable meanwhile, the node is removed later like a deleted one. */
  async #discard(node: StoredNode, { retry: again }: NodeClaim, { reached }: { reached: boolean }): Promise<void> {
    const { departures } = this.#parts;
    if (!reached || (await this.#clear(node))) return departures.drop(node.id);
    again();
    await departures.mark(node.id, { reason: 'It could not be created, and its engine is unreachable', reason_code: 'engine_unavailable' });
  }

  /** Removes resources that appeared in the engine after a deletion had checked there: an engine call may outlast a lease. */
  async #sweep(node: StoredNode): Promise<void> {
    const { nodes, log } = this.#parts;
    try {
      const now = await nodes.find(node.id);
      if (!now || now.status === 'removing') await this.#clear(node);
    } catch (fault) {
      log.warn('Could not determine the state of a work node', { id: node.id, fault });
    }
  }

  /** Removes its resources; returns whether nothing is left in the engine. */
  async #clear(node: StoredNode): Promise<boolean> {
    const { docker, platform, log } = this.#parts;
    try {
      await removeAll(await docker(node), platform, node);
      return true;
    } catch (fault) {
      log.warn('Could not clean up a half-created work node; retried once its engine is reachable', { id: node.id, fault });
      return false;
    }
  }
}

/**
 * Returns whether this process still holds the claim. If that is unknown, another process may have created the node
 * meanwhile, so nothing may be undone.
 */
function isOurs({ signal, isHeld: ours }: NodeClaim): Promise<boolean> {
  return signal.aborted ? Promise.resolve(false) : ours().catch(() => false);
}

function failureOf(fault: unknown, { host }: StoredNode): Failure {
  return isFailure(fault) ? fault : explain(fault, host);
}
