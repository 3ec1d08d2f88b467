import type Docker from 'dockerode';
import { type Context, type Failure, isFailure, type Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import type { PullProgress } from '../contract.js';
import { explain } from '../engines/failures.js';
import { toMake } from '../store/jobs-sql.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import type { Creation } from './creation.js';
import type { Departures } from './departures.js';
import { type Held, NodeJobs, type NodeJobsParts } from './jobs.js';
import { removeAll } from './removal.js';

export interface MakerParts {
  nodes: NodeStore;
  changes: Changes;
  work: Context['work'];
  lease?: NodeJobsParts['lease'];
  creation: Pick<Creation, 'make'>;
  log: Log;
  /** The installation's UUID. */
  platform: string;
  docker: (node: StoredNode) => Promise<Docker>;
  /** Begins with what must be done to a container that has just been started before anybody uses it. */
  prepare: (node: StoredNode) => void;
  /** Tells clients how far its image is. */
  progress: (node: StoredNode, progress: PullProgress) => void;
  now: () => string;
  departures: Departures;
}

/** The walls of a node that has just been made. */
export const unwalled = { fenced: false, reason: 'They are being set up' } as const;

/** In which a node may be made. */
const makeable = ['creating', 'offline'] as const;

/** Brings a node from its row to a container that runs, and its row to what came of it. */
export class Maker {
  readonly #parts: MakerParts;
  readonly jobs: NodeJobs;

  constructor(parts: MakerParts) {
    this.#parts = parts;
    this.jobs = new NodeJobs({
      ...parts,
      name: 'making',
      condition: toMake,
      attempt: (id, held) => this.#pursue(id, held),
    });
  }

  /**
   * Makes one that was taken, for somebody who waits: where that fails, nothing of it stays behind.
   *
   * @throws why it can't be made
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

  /** Makes one that its status tells of, or tries again; whatever comes of it is in its row. */
  async pursue(id: number, { taken = false } = {}): Promise<void> {
    const attempt = (held: Held) => this.#pursue(id, held);
    const made = taken ? this.jobs.run(id, attempt) : this.jobs.tryRun(id, attempt);
    await made.catch((fault: unknown) => this.#parts.log.error('A work node could not be made', { id, fault }));
  }

  async #pursue(id: number, held: Held): Promise<void> {
    const node = await this.#parts.nodes.find(id);
    if (!node || node.container_id !== null || !makeable.some((status) => status === node.status)) return;
    try {
      await this.#attempt(node, held);
    } catch (fault) {
      await this.#sweep(node);
      if (await isOurs(held)) await this.#failed(node, failureOf(fault, node), held);
    }
  }

  async #attempt(node: StoredNode, { signal }: Held, reached: () => void = () => undefined): Promise<StoredNode> {
    const { creation, docker, prepare, changes, progress, now } = this.#parts;
    const client = await docker(node);
    const made = await creation.make(node, {
      docker: client,
      signal,
      told: (found) => progress(node, found),
      reached: async () => {
        reached();
        await changes.move(node.id, { from: ['offline'], to: { status: 'creating', reason: '', reason_code: '' } });
      },
    });
    const walls = node.config.network === 'none' ? { fenced: true, reason: '' } : unwalled;
    const to = { ...made, walls, status: 'online', reason: '', reason_code: '', misses: 0, last_heartbeat: now() } as const;
    const online = await changes.move(node.id, { from: makeable, to });
    if (!online) throw signal.reason ?? new Error(`Work node ${node.id} went while it was made`);
    prepare(online);
    return online;
  }

  async #failed(node: StoredNode, { code, message, status, cause }: Failure, { again }: Held): Promise<void> {
    const { changes, log } = this.#parts;
    const to = { reason: message, reason_code: code };
    if (status === 503) {
      again();
      // Told once, however often it is tried.
      const news = (now: StoredNode) => now.status !== 'offline' || now.reason !== message;
      await changes.move(node.id, { from: makeable, where: news, to: { status: 'offline', ...to } });
      return;
    }
    log.warn(`Work node ${node.id} can't be made: ${message}`, { id: node.id, code, fault: cause });
    await this.#clear(node);
    // One that is reached otherwise since this attempt began is tried again as it is now.
    const same = (now: StoredNode) => now.sealed === node.sealed && now.config.host_key === node.config.host_key;
    if (!(await changes.move(node.id, { from: makeable, where: same, to: { status: 'error', ...to } }))) again();
  }

  /** Leaves nothing. Where the engine is gone in the middle, it is removed as one that was deleted. */
  async #discard(node: StoredNode, { again }: Held, { reached }: { reached: boolean }): Promise<void> {
    const { departures } = this.#parts;
    if (!reached || (await this.#clear(node))) return departures.drop(node.id);
    again();
    await departures.mark(node.id, { reason: 'It could not be made, and its engine is away', reason_code: 'engine_unavailable' });
  }

  /** What appeared in the engine after a deletion had looked there is nobody's: an engine may take longer than a lease. */
  async #sweep(node: StoredNode): Promise<void> {
    const { nodes, log } = this.#parts;
    try {
      const now = await nodes.find(node.id);
      if (!now || now.status === 'removing') await this.#clear(node);
    } catch (fault) {
      log.warn('What came of a work node is not known', { id: node.id, fault });
    }
  }

  /** Whether nothing of it is left in the engine. */
  async #clear(node: StoredNode): Promise<boolean> {
    const { docker, platform, log } = this.#parts;
    try {
      await removeAll(await docker(node), platform, node);
      return true;
    } catch (fault) {
      log.warn('What was half made of a work node stays until its engine can be asked', { id: node.id, fault });
      return false;
    }
  }
}

/** Nobody may undo what another has made meanwhile: where it is not known whose a node is, it is left to whoever comes next. */
function isOurs({ signal, ours }: Held): Promise<boolean> {
  return signal.aborted ? Promise.resolve(false) : ours().catch(() => false);
}

function failureOf(fault: unknown, { host }: StoredNode): Failure {
  return isFailure(fault) ? fault : explain(fault, host);
}
