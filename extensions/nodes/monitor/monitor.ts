import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Clock, type Disposable, Limiter, type Log } from '../../../kernel/contract/index.js';
import { explain } from '../engines/failures.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import type { Watch } from '../store/watch-sql.js';
import type { EngineEvent } from './event.js';
import { Revivals } from './revivals.js';
import type { Samples } from './samples.js';
import type { StatusRecorder } from './status-recorder.js';
import { type Kept, Supervisor } from './supervisor.js';
import { WatchedEngine } from './watched-engine.js';

export interface MonitorParts {
  nodes: NodeStore;
  watch: Watch;
  recorder: StatusRecorder;
  samples: Samples;
  clock: Clock;
  log: Log;
  /** The installation's UUID: containers of others are none of ours. */
  platform: string;
  /** The engine of a node. Equal addresses give the same. */
  docker: (node: StoredNode) => Promise<Docker>;
  /** How long an engine is waited for by a probe, in ms. Default 10,000. */
  probe_ms?: number;
  /** Between tries to listen to an engine, in ms. Default 1,000, doubled up to 30,000. */
  pauses?: readonly [first: number, longest: number];
}

interface Engine {
  docker: Docker;
  nodes: Kept['node'][];
}

const usual_probe_ms = 10_000;
/** How many engines are probed at the same time. */
const at_once = 16;

/**
 * Watches the containers of all nodes, on one instance for all of them: each engine is asked once a round, and
 * listened to in between.
 */
export class Monitor implements Disposable {
  readonly #parts: MonitorParts;
  readonly #supervisor: Supervisor;
  readonly #revivals = new Revivals();
  readonly #engines = new Map<Docker, WatchedEngine>();
  #leads = false;
  #disposed = false;
  /** Whether a round beside those that come anyway is to follow. */
  #another = false;
  #round: Promise<void> | undefined;
  /** Of engines, those also for which no round waits any more. */
  readonly #probes = new Set<Promise<void>>();

  constructor(parts: MonitorParts) {
    this.#parts = parts;
    const { clock, recorder, probe_ms = usual_probe_ms } = parts;
    this.#supervisor = new Supervisor({ clock, recorder, revivals: this.#revivals, ask_ms: probe_ms });
  }

  /** Whether this instance is the one. */
  get leads(): boolean {
    return this.#leads;
  }

  /** Takes or renews the watch: every 5 s. */
  async lead(): Promise<void> {
    if (this.#disposed) return;
    const before = this.#leads;
    // Without a database nobody can know who watches.
    this.#leads = (await this.#parts.watch.hold().catch(() => false)) && !this.#disposed;
    if (!this.#leads) this.#close();
    else if (!before) this.#soon();
  }

  /** Looks at all nodes once: every 15 s. Two never run at once. */
  async round(): Promise<void> {
    this.#round ??= this.#look().finally(() => {
      this.#round = undefined;
    });
    await this.#round;
  }

  /** Ends the watch, for good. */
  rest(): void {
    this.#disposed = true;
    this.#leads = false;
    this.#close();
  }

  async dispose(): Promise<void> {
    this.rest();
    await this.#round?.catch(() => undefined);
    await Promise.all(this.#probes);
    await this.#parts.watch.release().catch(() => undefined);
  }

  async #look(): Promise<void> {
    if (!this.#leads) return;
    const nodes = (await this.#parts.nodes.all()).filter(isWatched);
    const ids = new Set(nodes.map(({ id }) => id));
    for (const each of [this.#parts.recorder, this.#revivals, this.#supervisor]) each.keep(ids);
    this.#parts.samples.keep(new Set(nodes.map(({ container_id }) => container_id)));
    const engines = await this.#grouped(nodes);
    for (const [docker, engine] of this.#engines)
      if (!engines.has(docker)) {
        engine.close();
        this.#engines.delete(docker);
      }
    await new Limiter(at_once).each(engines.values(), (engine) => this.#bounded(this.#probe(engine)));
  }

  async #grouped(nodes: readonly Kept['node'][]): Promise<Map<Docker, Engine>> {
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

  /** One engine may have much to do, or hang: the round goes on without it. */
  async #bounded(probe: Promise<void>): Promise<void> {
    this.#probes.add(probe);
    const done = probe.finally(() => this.#probes.delete(probe));
    const late = new AbortController();
    await Promise.race([done, sleep(2 * (this.#parts.probe_ms ?? usual_probe_ms), undefined, { signal: late.signal })]);
    late.abort();
  }

  async #probe({ docker, nodes }: Engine): Promise<void> {
    if (!this.#leads) return;
    try {
      await this.#watched(docker).probe(nodes);
    } catch (fault) {
      this.#parts.log.warn('An engine could not be probed', { host: nodes[0]?.host ?? '', fault: String(fault) });
    }
  }

  #watched(docker: Docker): WatchedEngine {
    const { platform, recorder, samples, probe_ms = usual_probe_ms, pauses = [1_000, 30_000] as const } = this.#parts;
    const failed = (node: StoredNode, fault: unknown) =>
      this.#parts.log.warn('A work node could not be looked after', { id: node.id, fault: String(fault) });
    const own = { failed, find: (event: EngineEvent) => this.#find(event), again: () => this.#soon(), supervisor: this.#supervisor };
    const engine = this.#engines.get(docker) ?? new WatchedEngine({ docker, platform, recorder, samples, probe_ms, pauses, ...own });
    this.#engines.set(docker, engine);
    return engine;
  }

  async #find({ node_id, container_id }: EngineEvent): Promise<Kept['node'] | undefined> {
    const node = await this.#parts.nodes.find(node_id);
    return node && isWatched(node) && node.container_id === container_id ? node : undefined;
  }

  /** One more round after the one that runs; however often it is asked for meanwhile. */
  #soon(): void {
    if (this.#another) return;
    this.#another = true;
    const follow = async () => {
      await this.#round?.catch(() => undefined);
      this.#another = false;
      await this.round();
    };
    follow().catch((fault: unknown) => this.#parts.log.warn('A round of probes failed', { fault: String(fault) }));
  }

  #close(): void {
    for (const engine of this.#engines.values()) engine.close();
    this.#engines.clear();
  }
}

/** Those that are made or removed are looked after by whoever does it. */
function isWatched(node: StoredNode): node is Kept['node'] {
  return node.container_id !== null && (node.status === 'online' || node.status === 'offline' || node.status === 'error');
}
