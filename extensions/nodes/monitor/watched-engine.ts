import type Docker from 'dockerode';
import { Limiter } from '../../../kernel/contract/index.js';
import { explain } from '../engines/failures.js';
import type { EngineEvent } from './event.js';
import { EngineListener } from './listener.js';
import { type ListedContainer, list } from './listing.js';
import type { Samples } from './samples.js';
import type { StatusRecorder } from './status-recorder.js';
import type { ContainerSupervisor, MonitoredContainer } from './supervisor.js';

export interface EngineParts {
  docker: Docker;
  platform: string;
  recorder: StatusRecorder;
  supervisor: ContainerSupervisor;
  samples: Samples;
  /** Returns the node if this container is its current one and it is monitored. */
  find: (event: EngineEvent) => Promise<MonitoredContainer['node'] | undefined>;
  /** Reports that one of its containers could not be checked or handled. */
  failed: (node: MonitoredContainer['node'], fault: unknown) => void;
  /** Requests an early round. */
  again: () => void;
  pauses: readonly [first: number, longest: number];
  /** Time limit of a probe in ms. */
  probe_ms: number;
}

/** Limit of containers sampled at once; an engine reports all of them once a second. */
const max_samplings = 32;
/** Limit of containers handled at once: one that hangs must not hold up the others. */
const max_handled = 8;

/** Watches one engine: probes and events are handled in order, so that the later one wins. */
export class WatchedEngine {
  readonly #parts: EngineParts;
  readonly #listener: EngineListener;
  /** Running requests. */
  readonly #requests = new Set<AbortController>();
  #closed = false;
  /** Whether containers may have restarted unnoticed. */
  #mayHaveMissedEvents = true;
  #probing: Promise<void> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const { docker, platform, pauses } = parts;
    this.#listener = new EngineListener({
      docker,
      platform,
      onRestored: () => this.#requestRound(),
      backoffs: pauses,
      handle: (event) => this.#next(() => this.#handleEvent(event)),
    });
  }

  /** Probes its nodes once; joins a running probe. */
  async probe(nodes: readonly MonitoredContainer['node'][]): Promise<void> {
    this.#probing ??= this.#probeAndSample(nodes).finally(() => {
      this.#probing = undefined;
    });
    await this.#probing;
  }

  close(): void {
    this.#closed = true;
    this.#listener.close();
    for (const question of this.#requests) question.abort();
  }

  async #probeAndSample(nodes: readonly MonitoredContainer['node'][]): Promise<void> {
    const running = await this.#next(() => this.#probe(nodes));
    await this.#sample(running);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the nodes whose containers run. */
  async #probe(nodes: readonly MonitoredContainer['node'][]): Promise<readonly MonitoredContainer['node'][]> {
    const { docker, platform, recorder, supervisor } = this.#parts;
    const unheard = this.#mayHaveMissedEvents;
    // Events during the query affect the next probe.
    this.#mayHaveMissedEvents = false;
    let listed: ReadonlyMap<string, ListedContainer>;
    try {
      listed = await this.#request((signal) => list(docker, platform, signal));
    } catch (fault) {
      this.#mayHaveMissedEvents ||= unheard;
      if (!this.#closed) await this.#unreachable(nodes, fault);
      return [];
    }
    const of = (node: MonitoredContainer['node']) => listed.get(node.container_id);
    const running = nodes.filter((node) => of(node)?.state === 'running');
    const back = new Set((await recorder.answered(running)).map(({ id }) => id));
    const there = new Set(running.map(({ id }) => id));
    await new Limiter(max_handled).each(nodes, async (node) => {
      if (this.#closed) return;
      try {
        if (back.has(node.id)) await supervisor.recordStart({ node, docker });
        else if (unheard && there.has(node.id)) await supervisor.checkStart({ node, docker });
        if (there.has(node.id)) await recorder.health(node, of(node)?.isUnhealthy === true);
        else await this.#handleStopped(node, of(node)?.state);
      } catch (fault) {
        this.#mayHaveMissedEvents ||= unheard;
        this.#parts.failed(node, fault);
      }
    });
    return running;
  }

  async #unreachable(nodes: readonly MonitoredContainer['node'][], fault: unknown): Promise<void> {
    this.#listener.drop();
    const { code, message } = explain(fault, nodes[0]?.host ?? '');
    await this.#parts.recorder.unanswered(nodes, { code, message });
  }

  async #handleStopped(node: MonitoredContainer['node'], state: string | undefined): Promise<void> {
    const { docker, recorder, supervisor } = this.#parts;
    // A person has to start it; then it runs.
    if (node.status === 'error') return;
    if (state === undefined) return supervisor.recordMissing(node);
    if (state === 'paused' || state === 'restarting') {
      const message = state === 'paused' ? 'Its container is paused' : 'Its container ends again and again';
      return recorder.unanswered([node], { code: `container_${state}`, message });
    }
    if (state === 'removing') return;
    try {
      await supervisor.handleEnd({ node, docker });
    } catch (fault) {
      const { code, message } = explain(fault, node.host);
      await recorder.unanswered([node], { code, message });
      throw fault;
    }
  }

  async #handleEvent(event: EngineEvent): Promise<void> {
    const { docker, supervisor, find } = this.#parts;
    try {
      const node = await find(event);
      if (node && !this.#closed) await supervisor.handleEvent({ node, docker }, event);
    } catch {
      // Whatever prevented recording it, the next probe sees the container's state.
      this.#requestRound();
    }
  }

  #requestRound(): void {
    this.#mayHaveMissedEvents = true;
    this.#parts.again();
  }

  async #sample(running: readonly MonitoredContainer['node'][]): Promise<void> {
    const { docker, samples } = this.#parts;
    await new Limiter(max_samplings).each(running, async ({ container_id }) => {
      // A container that has ended since has no sample.
      if (!this.#closed) await this.#request((signal) => samples.take(docker, container_id, signal)).catch(() => undefined);
    });
  }

  async #request<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const asking = new AbortController();
    this.#requests.add(asking);
    const timer = setTimeout(() => asking.abort(), this.#parts.probe_ms);
    try {
      return await question(asking.signal);
    } finally {
      clearTimeout(timer);
      this.#requests.delete(asking);
    }
  }
}
