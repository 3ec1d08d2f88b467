import type Docker from 'dockerode';
import type { Clock } from '../../../kernel/contract/index.js';
import { explain, plain, statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import type { EngineEvent } from './event.js';
import type { Revivals } from './revivals.js';
import type { StatusRecorder } from './status-recorder.js';

export interface SupervisorParts {
  clock: Clock;
  recorder: StatusRecorder;
  revivals: Revivals;
  /** How long an engine is waited for when it is asked about a container, in ms. */
  ask_ms: number;
}

/** A node and the engine that its container is on. */
export interface Kept {
  node: StoredNode & { container_id: string };
  docker: Docker;
}

/** A process of the container was killed this long before it ended: that is why, in ms. */
const oom_ms = 10_000;

/** Looks after single containers: what has happened to them, and that they run again. */
export class Supervisor {
  readonly #parts: SupervisorParts;
  /** When a container ran out of memory, by its node. */
  readonly #ooms = new Map<number, number>();

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** Something has happened to a container that is this node's. */
  async happened(kept: Kept, { action }: EngineEvent): Promise<void> {
    const { recorder } = this.#parts;
    if (action === 'start') return this.began(kept);
    if (action === 'die') return this.ended(kept);
    if (action === 'oom') return this.#outOfMemory(kept.node);
    if (action === 'destroy') return this.gone(kept.node);
    if (action.startsWith('health_status')) return recorder.health(kept.node, action.endsWith('unhealthy'));
  }

  /** It runs now. */
  async began(kept: Kept): Promise<void> {
    const state = await this.#inspect(kept);
    if (state && runs(state)) await this.#parts.recorder.started(kept.node, state.StartedAt);
  }

  /** It runs; whether since when we think nobody knows. */
  async noticed(kept: Kept): Promise<void> {
    const state = await this.#inspect(kept);
    if (state && runs(state) && state.StartedAt !== kept.node.started_at) await this.#parts.recorder.started(kept.node, state.StartedAt);
  }

  /** The engine has no such container. */
  async gone(node: StoredNode): Promise<void> {
    const message = 'Its container is not on its engine any more: delete the node and create it anew';
    await this.#parts.recorder.failed(node, { code: 'container_missing', message });
  }

  /** It has ended, or has begun again since. */
  async ended(kept: Kept): Promise<void> {
    const state = await this.#inspect(kept);
    if (!state) return this.gone(kept.node);
    const { node } = kept;
    const oom = state.OOMKilled || this.#ranOut(node.id);
    if (oom) await this.#outOfMemory(node);
    if (!state.Running && !state.Restarting) return this.#revive(kept, state, oom);
    const message = `The container of work node '${node.name}' ended and was started again by its engine`;
    if (!oom) await this.#parts.recorder.incident(node, 'died', message);
    if (runs(state)) await this.#parts.recorder.started(node, state.StartedAt);
  }

  keep(ids: ReadonlySet<number>): void {
    for (const id of this.#ooms.keys()) if (!ids.has(id)) this.#ooms.delete(id);
  }

  #ranOut(id: number): boolean {
    return this.#parts.clock.now() - (this.#ooms.get(id) ?? 0) < oom_ms;
  }

  async #outOfMemory(node: StoredNode): Promise<void> {
    this.#ooms.set(node.id, this.#parts.clock.now());
    const message = `Work node '${node.name}' ran out of its memory of ${node.config.memory_limit}, so a process in it was killed`;
    await this.#parts.recorder.incident(node, 'out_of_memory', message);
  }

  /** Nobody else starts it: engines leave alone what was killed from outside. */
  async #revive(kept: Kept, { ExitCode, Error: words }: State, oom: boolean): Promise<void> {
    const { recorder, revivals, clock } = this.#parts;
    const { node, docker } = kept;
    const how = oom ? `ran out of its memory of ${node.config.memory_limit}` : `ended with exit code ${ExitCode}`;
    const why = { code: oom ? 'out_of_memory' : 'container_exited', message: `Its container ${how}${words ? `: ${plain(words)}` : ''}` };
    await recorder.ended(node, why);
    const left = revivals.left(node.id, clock.now());
    if (left === 0) return recorder.failed(node, { ...why, message: `${why.message}, and always does so again after it is started` });
    try {
      await docker.getContainer(node.container_id).start();
    } catch (fault) {
      const status = statusOf(fault);
      // An engine that is away, or about to stop.
      if (status === undefined) throw fault;
      if (status === 404) return this.gone(node);
      // 304: somebody was faster. What is refused otherwise is tried again after the next probe.
      if (status !== 304) {
        revivals.count(node.id, clock.now());
        if (left > 1) return;
        return recorder.failed(node, { ...why, message: `${why.message}. ${explain(fault, node.host).message}` });
      }
    }
    revivals.count(node.id, clock.now());
    await this.began(kept);
  }

  /** Undefined where the engine has no such container. */
  async #inspect({ node, docker }: Kept): Promise<State | undefined> {
    try {
      const abortSignal = AbortSignal.timeout(this.#parts.ask_ms);
      return (await docker.getContainer(node.container_id).inspect({ abortSignal })).State;
    } catch (fault) {
      if (statusOf(fault) === 404) return undefined;
      throw fault;
    }
  }
}

type State = Docker.ContainerInspectInfo['State'];

/** One that its engine is about to start again counts as running there. */
function runs({ Running, Restarting }: State): boolean {
  return Running && !Restarting;
}
