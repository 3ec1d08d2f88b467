import type Docker from 'dockerode';
import { Limiter } from '../../../kernel/contract/index.js';
import { explain } from '../engines/failures.js';
import type { EngineEvent } from './event.js';
import { EngineListener } from './listener.js';
import { type Listed, list } from './listing.js';
import type { Samples } from './samples.js';
import type { StatusRecorder } from './status-recorder.js';
import type { Kept, Supervisor } from './supervisor.js';

export interface EngineParts {
  docker: Docker;
  platform: string;
  recorder: StatusRecorder;
  supervisor: Supervisor;
  samples: Samples;
  /** The node as it is now, if this container is its own and it is to be watched. */
  find: (event: EngineEvent) => Promise<Kept['node'] | undefined>;
  /** Of one of its containers something could not be found out, or not be done. */
  failed: (node: Kept['node'], fault: unknown) => void;
  /** The next round should come soon. */
  again: () => void;
  pauses: readonly [first: number, longest: number];
  /** How long the engine is waited for by a probe, in ms. */
  probe_ms: number;
}

/** How many containers of an engine are asked for their use at the same time; it tells of all together, once a second. */
const at_once = 32;
/** How many of its containers are looked after at the same time: one that hangs must not keep the others waiting. */
const tended_at_once = 8;

/** One engine: probes and events come one after the other, so that the later one knows better. */
export class WatchedEngine {
  readonly #parts: EngineParts;
  readonly #listener: EngineListener;
  /** Questions under way. */
  readonly #asking = new Set<AbortController>();
  #closed = false;
  /** Whether containers may have started anew without a word of it. */
  #unheard = true;
  #probing: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const { docker, platform, pauses } = parts;
    this.#listener = new EngineListener({
      docker,
      platform,
      again: () => this.#again(),
      pauses,
      hear: (event) => this.#next(() => this.#hear(event)),
    });
  }

  /** Looks at its nodes once. While it does so already it is content with that. */
  async probe(nodes: readonly Kept['node'][]): Promise<void> {
    this.#probing ??= this.#look(nodes).finally(() => {
      this.#probing = undefined;
    });
    await this.#probing;
  }

  close(): void {
    this.#closed = true;
    this.#listener.close();
    for (const question of this.#asking) question.abort();
  }

  async #look(nodes: readonly Kept['node'][]): Promise<void> {
    const running = await this.#next(() => this.#probe(nodes));
    await this.#sample(running);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Gives those whose containers run. */
  async #probe(nodes: readonly Kept['node'][]): Promise<readonly Kept['node'][]> {
    const { docker, platform, recorder, supervisor } = this.#parts;
    const unheard = this.#unheard;
    // What comes while the engine is asked holds for the next probe.
    this.#unheard = false;
    let listed: ReadonlyMap<string, Listed>;
    try {
      listed = await this.#ask((signal) => list(docker, platform, signal));
    } catch (fault) {
      this.#unheard ||= unheard;
      if (!this.#closed) await this.#unreachable(nodes, fault);
      return [];
    }
    const of = (node: Kept['node']) => listed.get(node.container_id);
    const running = nodes.filter((node) => of(node)?.state === 'running');
    const back = new Set((await recorder.answered(running)).map(({ id }) => id));
    const there = new Set(running.map(({ id }) => id));
    await new Limiter(tended_at_once).each(nodes, async (node) => {
      if (this.#closed) return;
      try {
        if (back.has(node.id)) await supervisor.began({ node, docker });
        else if (unheard && there.has(node.id)) await supervisor.noticed({ node, docker });
        if (there.has(node.id)) await recorder.health(node, of(node)?.ill === true);
        else await this.#silent(node, of(node)?.state);
      } catch (fault) {
        this.#unheard ||= unheard;
        this.#parts.failed(node, fault);
      }
    });
    return running;
  }

  async #unreachable(nodes: readonly Kept['node'][], fault: unknown): Promise<void> {
    this.#listener.lost();
    const { code, message } = explain(fault, nodes[0]?.host ?? '');
    await this.#parts.recorder.unanswered(nodes, { code, message });
  }

  async #silent(node: Kept['node'], state: string | undefined): Promise<void> {
    const { docker, recorder, supervisor } = this.#parts;
    // Whoever starts it again is a person; then it runs.
    if (node.status === 'error') return;
    if (state === undefined) return supervisor.gone(node);
    if (state === 'paused' || state === 'restarting') {
      const message = state === 'paused' ? 'Its container is paused' : 'Its container ends again and again';
      return recorder.unanswered([node], { code: `container_${state}`, message });
    }
    if (state === 'removing') return;
    try {
      await supervisor.ended({ node, docker });
    } catch (fault) {
      const { code, message } = explain(fault, node.host);
      await recorder.unanswered([node], { code, message });
      throw fault;
    }
  }

  async #hear(event: EngineEvent): Promise<void> {
    const { docker, supervisor, find } = this.#parts;
    try {
      const node = await find(event);
      if (node && !this.#closed) await supervisor.happened({ node, docker }, event);
    } catch {
      // Whatever has kept it from being written down, the next probe sees what has become of the container.
      this.#again();
    }
  }

  #again(): void {
    this.#unheard = true;
    this.#parts.again();
  }

  async #sample(running: readonly Kept['node'][]): Promise<void> {
    const { docker, samples } = this.#parts;
    await new Limiter(at_once).each(running, async ({ container_id }) => {
      // One that has ended since has nothing to tell.
      if (!this.#closed) await this.#ask((signal) => samples.take(docker, container_id, signal)).catch(() => undefined);
    });
  }

  async #ask<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const asking = new AbortController();
    this.#asking.add(asking);
    const timer = setTimeout(() => asking.abort(), this.#parts.probe_ms);
    try {
      return await question(asking.signal);
    } finally {
      clearTimeout(timer);
      this.#asking.delete(asking);
    }
  }
}
