import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Clock, type Disposable, Limiter, type Log } from '../../../kernel/contract/index.js';
import { explain } from '../engines/failures.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import type { WatchLease } from '../store/watch-sql.js';
import type { EngineEvent } from './event.js';
import { RestartCounter } from './restart-counter.js';
import type { Samples } from './samples.js';
import type { StatusRecorder } from './status-recorder.js';
import { ContainerSupervisor, type MonitoredContainer } from './supervisor.js';
import { WatchedEngine } from './watched-engine.js';

export interface MonitorParts {
  nodes: NodeStore;
  watch: WatchLease;
  recorder: StatusRecorder;
  samples: Samples;
  clock: Clock;
  log: Log;
  /** Installation's UUID: containers with another one are ignored. */
  platform: string;
  /** Returns the engine of a node; equal addresses return the same client. */
  docker: (node: StoredNode) => Promise<Docker>;
  /** Time limit of a probe in ms. Default 10,000. */
  probe_ms?: number;
  /** Back-off between attempts to listen in ms. Default 1,000, doubled up to 30,000. */
  pauses?: readonly [first: number, longest: number];
}

interface Engine {
  docker: Docker;
  nodes: MonitoredContainer['node'][];
}

const default_probe_ms = 10_000;
/** Limit of engines probed at once. */
const max_probes = 16;

/** Watches the containers of all nodes, on one instance for all: probes each engine once a round, and listens to its events in between. */
export class Monitor implements Disposable {
  readonly #parts: MonitorParts;
  readonly #supervisor: ContainerSupervisor;
  readonly #revivals = new RestartCounter();
  readonly #engines = new Map<Docker, WatchedEngine>();
  #leads = false;
  #disposed = false;
  /** Whether an extra round is scheduled. */
  #isRoundScheduled = false;
  #round: Promise<void> | undefined;
  /** Probes of engines, including those that no round waits for any more. */
  readonly #probes = new Set<Promise<void>>();

  constructor(parts: MonitorParts) {
    this.#parts = parts;
    const { clock, recorder, probe_ms = default_probe_ms } = parts;
    this.#supervisor = new ContainerSupervisor({ clock, recorder, revivals: this.#revivals, ask_ms: probe_ms });
  }

  /** Whether this instance is the watcher. */
  get isWatcher(): boolean {
    return this.#leads;
  }

  /** Acquires or renews the watch; called every 5 s. */
  async renewWatch(): Promise<void> {
    if (this.#disposed) return;
    const before = this.#leads;
    // Without the database, nobody can know who watches.
    this.#leads = (await this.#parts.watch.acquire().catch(() => false)) && !this.#disposed;
    if (!this.#leads) this.#close();
    else if (!before) this.#scheduleRound();
  }

  /** Probes all nodes once; called every 15 s. Rounds never overlap. */
  async round(): Promise<void> {
    this.#round ??= this.#probeAll().finally(() => {
      this.#round = undefined;
    });
    await this.#round;
  }

  /** Stops watching for good. */
  stopWatching(): void {
    this.#disposed = true;
    this.#leads = false;
    this.#close();
  }

  async dispose(): Promise<void> {
    this.stopWatching();
    await this.#round?.catch(() => undefined);
    await Promise.all(this.#probes);
    await this.#parts.watch.release().catch(() => undefined);
  }

  async #probeAll(): Promise<void> {
    if (!this.#leads) return;
    const nodes = (await this.#parts.nodes.all()).filter(isWatched);
    const ids = new Set(nodes.map(({ id }) => id));
    for (const each of [this.#parts.recorder, this.#revivals, this.#supervisor]) each.retain(ids);
    this.#parts.samples.retain(new Set(nodes.map(({ container_id }) => container_id)));
    const engines = await this.#grouped(nodes);
    for (const [docker, engine] of this.#engines)
      if (!engines.has(docker)) {
        engine.close();
        this.#engines.delete(docker);
      }
    await new Limiter(max_probes).each(engines.values(), (engine) => this.#bounded(this.#probe(engine)));
  }

  async #grouped(nodes: readonly MonitoredContainer['node'][]): Promise<Map<Docker, Engine>> {
    const engines = new Map<Docker, Engine>();
    for (const node of nodes) {
      try {
        const docker = await this.#parts.docker(node);
        const engine = engines.get(docker) ?? { docker, nodes: [] };
        engine.nodes.push(node);
        engines.set(docker, engine);
      } catch (fault) {
        const { code, message } = explain(fault, node.host);
        await this.#parts.recorder.unanswered([node], { code, message });
      }
    }
    return engines;
  }

  /** Waits for a probe with a limit: a busy or hanging engine must not hold up the round. */
  async #bounded(probe: Promise<void>): Promise<void> {
    this.#probes.add(probe);
    const done = probe.finally(() => this.#probes.delete(probe));
    const late = new AbortController();
    await Promise.race([done, sleep(2 * (this.#parts.probe_ms ?? default_probe_ms), undefined, { signal: late.signal })]);
    late.abort();
  }

  async #probe({ docker, nodes }: Engine): Promise<void> {
    if (!this.#leads) return;
    try {
      await this.#watched(docker).probe(nodes);
    } catch (fault) {
      this.#parts.log.warn('Could not probe an engine', { host: nodes[0]?.host ?? '', fault: String(fault) });
    }
  }

  #watched(docker: Docker): WatchedEngine {
    const { platform, recorder, samples, probe_ms = default_probe_ms, pauses = [1_000, 30_000] as const } = this.#parts;
    const failed = (node: StoredNode, fault: unknown) =>
      this.#parts.log.warn('Could not check a work node', { id: node.id, fault: String(fault) });
    const own = {
      failed,
      find: (event: EngineEvent) => this.#find(event),
      again: () => this.#scheduleRound(),
      supervisor: this.#supervisor,
    };
    const engine = this.#engines.get(docker) ?? new WatchedEngine({ docker, platform, recorder, samples, probe_ms, pauses, ...own });
    this.#engines.set(docker, engine);
    return engine;
  }

  async #find({ node_id, container_id }: EngineEvent): Promise<MonitoredContainer['node'] | undefined> {
    const node = await this.#parts.nodes.find(node_id);
    return node && isWatched(node) && node.container_id === container_id ? node : undefined;
  }

  /** Schedules one more round after the current one; repeated calls are merged. */
  #scheduleRound(): void {
    if (this.#isRoundScheduled) return;
    this.#isRoundScheduled = true;
    const follow = async () => {
      await this.#round?.catch(() => undefined);
      this.#isRoundScheduled = false;
      await this.round();
    };
    follow().catch((fault: unknown) => this.#parts.log.warn('A round of probes failed', { fault: String(fault) }));
  }

  #close(): void {
    for (const engine of this.#engines.values()) engine.close();
    this.#engines.clear();
  }
}

/** Returns whether the monitor handles the node. Nodes being created or removed are handled by the process that does it. */
function isWatched(node: StoredNode): node is MonitoredContainer['node'] {
  return node.container_id !== null && (node.status === 'online' || node.status === 'offline' || node.status === 'error');
}
