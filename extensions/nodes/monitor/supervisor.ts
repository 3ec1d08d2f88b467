import type Docker from 'dockerode';
import type { Clock } from '../../../kernel/contract/index.js';
import { explain, singleLine, statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import type { EngineEvent } from './event.js';
import type { RestartCounter } from './restart-counter.js';
import type { StatusRecorder } from './status-recorder.js';

export interface SupervisorParts {
  clock: Clock;
  recorder: StatusRecorder;
  revivals: RestartCounter;
  /** Time limit of a query about a container, in ms. */
  ask_ms: number;
}

/** Node with the engine of its container. */
export interface MonitoredContainer {
  node: StoredNode & { container_id: string };
  docker: Docker;
}

/** Period after an out-of-memory kill in which an end of the container is attributed to it, in ms. */
const oom_ms = 10_000;

/** Supervises single containers: handles their events and restarts them. */
export class ContainerSupervisor {
  readonly #parts: SupervisorParts;
  /** Time of the last out-of-memory kill, by node. */
  readonly #ooms = new Map<number, number>();

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** Handles an event of this node's container. */
  async handleEvent(kept: MonitoredContainer, { action }: EngineEvent): Promise<void> {
    const { recorder } = this.#parts;
    if (action === 'start') return this.recordStart(kept);
    if (action === 'die') return this.handleEnd(kept);
    if (action === 'oom') return this.#outOfMemory(kept.node);
    if (action === 'destroy') return this.recordMissing(kept.node);
    if (action.startsWith('health_status')) return recorder.health(kept.node, action.endsWith('unhealthy'));
  }

  /** Records that it runs now. */
  async recordStart(kept: MonitoredContainer): Promise<void> {
    const state = await this.#inspect(kept);
    if (state && isRunning(state)) await this.#parts.recorder.started(kept.node, state.StartedAt);
  }

  /** Checks the start time of a running container. */
  async checkStart(kept: MonitoredContainer): Promise<void> {
    const state = await this.#inspect(kept);
    if (state && isRunning(state) && state.StartedAt !== kept.node.started_at)
      await this.#parts.recorder.started(kept.node, state.StartedAt);
  }

  /** Records that the engine has no such container. */
  async recordMissing(node: StoredNode): Promise<void> {
    const message = 'Its container no longer exists on its engine: delete the node and create it again';
    await this.#parts.recorder.failed(node, { code: 'container_missing', message });
  }

  /** Handles an end; it may have started again since. */
  async handleEnd(kept: MonitoredContainer): Promise<void> {
    const state = await this.#inspect(kept);
    if (!state) return this.recordMissing(kept.node);
    const { node } = kept;
    const oom = state.OOMKilled || this.#ranOutOfMemory(node.id);
    if (oom) await this.#outOfMemory(node);
    if (!state.Running && !state.Restarting) return this.#restart(kept, state, oom);
    const message = `The container of work node '${node.name}' ended and was started again by its engine`;
    if (!oom) await this.#parts.recorder.incident(node, 'died', message);
    if (isRunning(state)) await this.#parts.recorder.started(node, state.StartedAt);
  }

  retain(ids: ReadonlySet<number>): void {
    for (const id of this.#ooms.keys()) if (!ids.has(id)) this.#ooms.delete(id);
  }

  #ranOutOfMemory(id: number): boolean {
    return this.#parts.clock.now() - (this.#ooms.get(id) ?? 0) < oom_ms;
  }

  async #outOfMemory(node: StoredNode): Promise<void> {
    this.#ooms.set(node.id, this.#parts.clock.now());
    const message = `Work node '${node.name}' ran out of its memory of ${node.config.memory_limit}, so a process in it was killed`;
    await this.#parts.recorder.incident(node, 'out_of_memory', message);
  }

  /** Restarts it, because nobody else does: engines don't restart a container that was killed from outside. */
  async #restart(kept: MonitoredContainer, { ExitCode, Error: words }: State, oom: boolean): Promise<void> {
    const { recorder, revivals, clock } = this.#parts;
    const { node, docker } = kept;
    const how = oom ? `ran out of its memory of ${node.config.memory_limit}` : `ended with exit code ${ExitCode}`;
    const why = {
      code: oom ? 'out_of_memory' : 'container_exited',
      message: `Its container ${how}${words ? `: ${singleLine(words)}` : ''}`,
    };
    await recorder.ended(node, why);
    const left = revivals.left(node.id, clock.now());
    if (left === 0) return recorder.failed(node, { ...why, message: `${why.message}, and keeps doing so after each restart` });
    try {
      await docker.getContainer(node.container_id).start();
    } catch (fault) {
      const status = statusOf(fault);
      // The engine is unreachable or stopping.
      if (status === undefined) throw fault;
      if (status === 404) return this.recordMissing(node);
      // 304: somebody else started it. Other refusals are retried after the next probe.
      if (status !== 304) {
        revivals.count(node.id, clock.now());
        if (left > 1) return;
        return recorder.failed(node, { ...why, message: `${why.message}. ${explain(fault, node.host).message}` });
      }
    }
    revivals.count(node.id, clock.now());
    await this.recordStart(kept);
  }

  /** Inspects the container; undefined if the engine has none. */
  async #inspect({ node, docker }: MonitoredContainer): Promise<State | undefined> {
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

/** Returns whether it runs. A container about to be restarted counts as running for its engine. */
function isRunning({ Running, Restarting }: State): boolean {
  return Running && !Restarting;
}
