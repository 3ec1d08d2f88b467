import type Docker from 'dockerode';
import type { Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { engineTime } from '../engines/time.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import { filterOf, labels } from './labels.js';
import { removeContainer, removeUntilGone } from './removal.js';

export interface ReaperParts {
  nodes: NodeStore;
  changes: Changes;
  log: Log;
  /** Installation's UUID: resources with another one are never touched. */
  platform: string;
  /** Returns the client of the local engine or of any node's engine. */
  docker: (node: Pick<StoredNode, 'host' | 'config' | 'sealed'>) => Promise<Docker>;
}

/** Age after which a helper that sets up another container's network is orphaned, in seconds. */
const helper_s = 60;
/** The local engine, even if no node is on it. */
const local = { host: '', sealed: '', config: { image: '', memory_limit: '', cpu_limit: '', network: 'internet', host_key: '' } } as const;

interface Labelled {
  Labels?: Readonly<Record<string, string>> | null | undefined;
}

/** Reconciles engines and table: removes resources without a row, and marks rows without a container as failed. */
export class Reaper {
  readonly #parts: ReaperParts;

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  /**
   * Reconciles every known engine; unreachable ones are skipped until next time. Returns whether some resources are too
   * young to be called orphans.
   */
  async reap(): Promise<boolean> {
    const { nodes, log } = this.#parts;
    let hasYoungResources = false;
    const engines = new Map<string, Pick<StoredNode, 'host' | 'config' | 'sealed'>>([['', local]]);
    // Reach an engine with the keys of any of its nodes.
    for (const node of await nodes.all()) engines.set(node.host, node);
    for (const engine of engines.values()) {
      try {
        hasYoungResources = (await this.#engine(engine)) || hasYoungResources;
      } catch (fault) {
        log.debug('Could not check an engine', { host: engine.host, fault });
      }
    }
    return hasYoungResources;
  }

  async #engine(engine: Pick<StoredNode, 'host' | 'config' | 'sealed'>): Promise<boolean> {
    const { nodes, platform } = this.#parts;
    const docker = await this.#parts.docker(engine);
    const before = (await nodes.all()).filter(({ host }) => host === engine.host);
    const filters = filterOf(platform);
    const containers = await docker.listContainers({ all: true, filters });
    const networks = await docker.listNetworks({ filters });
    const { Volumes } = await docker.listVolumes({ filters });
    // Rows are written before resources are created, so a listed resource without a row now is an orphan.
    const rows = new Set((await nodes.all()).map(({ id }) => String(id)));
    const orphan = ({ Labels }: Labelled) => !rows.has(Labels?.[labels.node] ?? '');
    const orphan_before = (await engineTime(docker)) / 1_000 - helper_s;
    const helpers = containers.filter((each) => !orphan(each) && each.Labels[labels.role] !== 'work');
    const old = helpers.filter(({ Created }) => Created < orphan_before);

    for (const { Id } of [...containers.filter(orphan), ...old]) await this.#removed(Id, () => removeContainer(docker, Id));
    for (const { Id } of networks.filter(orphan)) await this.#removed(Id, () => removeUntilGone(() => docker.getNetwork(Id).remove()));
    for (const { Name } of (Volumes ?? []).filter(orphan))
      await this.#removed(Name, () => removeUntilGone(() => docker.getVolume(Name).remove()));

    const present = new Set(containers.filter(({ Labels }) => Labels[labels.role] === 'work').map(({ Labels }) => Labels[labels.node]));
    for (const node of before) if (node.container_id !== null && !present.has(String(node.id))) await this.#missing(node);
    return old.length < helpers.length;
  }

  async #removed(what: string, remove: () => Promise<void>): Promise<void> {
    const { log } = this.#parts;
    try {
      await remove();
      log.info('Removed an orphan from an engine', { what });
    } catch (fault) {
      log.warn('Could not remove an orphan from an engine', { what, fault });
    }
  }

  async #missing({ id, container_id }: StoredNode): Promise<void> {
    const to = {
      status: 'error',
      reason: 'Its container no longer exists. Delete the node and create it again',
      reason_code: 'container_missing',
    } as const;
    const where = (now: StoredNode) => now.container_id === container_id;
    await this.#parts.changes.move(id, { from: ['online', 'offline'], where, to });
  }
}
