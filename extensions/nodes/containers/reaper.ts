import type Docker from 'dockerode';
import type { Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { engineTime } from '../engines/time.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import { filterOf, labels } from './labels.js';
import { gone, removeContainer } from './removal.js';

export interface ReaperParts {
  nodes: NodeStore;
  changes: Changes;
  log: Log;
  /** The installation's UUID: what has another is never touched. */
  platform: string;
  /** Of the local engine and of all that nodes are on. */
  docker: (node: Pick<StoredNode, 'host' | 'config' | 'sealed'>) => Promise<Docker>;
}

/** After this long a helper that sets up another container's network has been forgotten, in seconds. */
const helper_s = 60;
/** The local engine, also where no node is on it. */
const local = { host: '', sealed: '', config: { image: '', memory_limit: '', cpu_limit: '', network: 'internet', host_key: '' } } as const;

interface Labelled {
  Labels?: Readonly<Record<string, string>> | null | undefined;
}

/** Brings engines and the table together: what an engine has without a row goes, a row without a container is an error. */
export class Reaper {
  readonly #parts: ReaperParts;

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  /**
   * Looks at every engine that is known. One that is away is looked at the next time. Gives whether there was something
   * that is too young to be known for forgotten.
   */
  async reap(): Promise<boolean> {
    const { nodes, log } = this.#parts;
    let young = false;
    const engines = new Map<string, Pick<StoredNode, 'host' | 'config' | 'sealed'>>([['', local]]);
    // An engine by any of its nodes' keys.
    for (const node of await nodes.all()) engines.set(node.host, node);
    for (const engine of engines.values()) {
      try {
        young = (await this.#engine(engine)) || young;
      } catch (fault) {
        log.debug('An engine could not be looked at', { host: engine.host, fault });
      }
    }
    return young;
  }

  async #engine(engine: Pick<StoredNode, 'host' | 'config' | 'sealed'>): Promise<boolean> {
    const { nodes, platform } = this.#parts;
    const docker = await this.#parts.docker(engine);
    const before = (await nodes.all()).filter(({ host }) => host === engine.host);
    const filters = filterOf(platform);
    const containers = await docker.listContainers({ all: true, filters });
    const networks = await docker.listNetworks({ filters });
    const { Volumes } = await docker.listVolumes({ filters });
    // Rows come before what they stand for: what was listed and has none now is nobody's.
    const rows = new Set((await nodes.all()).map(({ id }) => String(id)));
    const orphan = ({ Labels }: Labelled) => !rows.has(Labels?.[labels.node] ?? '');
    const forgotten = (await engineTime(docker)) / 1_000 - helper_s;
    const helpers = containers.filter((each) => !orphan(each) && each.Labels[labels.role] !== 'work');
    const old = helpers.filter(({ Created }) => Created < forgotten);

    for (const { Id } of [...containers.filter(orphan), ...old]) await this.#removed(Id, () => removeContainer(docker, Id));
    for (const { Id } of networks.filter(orphan)) await this.#removed(Id, () => gone(() => docker.getNetwork(Id).remove()));
    for (const { Name } of (Volumes ?? []).filter(orphan)) await this.#removed(Name, () => gone(() => docker.getVolume(Name).remove()));

    const there = new Set(containers.filter(({ Labels }) => Labels[labels.role] === 'work').map(({ Labels }) => Labels[labels.node]));
    for (const node of before) if (node.container_id !== null && !there.has(String(node.id))) await this.#missing(node);
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
      reason: 'Its container is not there any more. Delete the node and create it anew',
      reason_code: 'container_missing',
    } as const;
    const where = (now: StoredNode) => now.container_id === container_id;
    await this.#parts.changes.move(id, { from: ['online', 'offline'], where, to });
  }
}
