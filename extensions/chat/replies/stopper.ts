import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../codes.js';
import type { Task } from '../contract.js';
import { channels, type Ports } from '../ports.js';
import type { StopReason } from './execution.js';
import { isFinal, tellLast, withdraw } from './outcome.js';
import type { ReplyWorker } from './work.js';

/** Time in which an owner must answer before it is asked again. */
const answer_ms = 6_000;
/** Time limit of a stop; the lease of a dead owner expires earlier. */
const limit_ms = 20_000;

/** The current task, and whether this call ended it. */
export interface StopOutcome {
  task: Task;
  stopped: boolean;
}

/** Stops waiting tasks, and running ones on any instance. */
export class Stopper {
  readonly #ports: Ports;
  readonly #worker: ReplyWorker;
  /** Starts tasks that have become ready. */
  readonly #wake: () => void;

  constructor(ports: Ports, { worker, wake }: { worker: ReplyWorker; wake: () => void }) {
    this.#ports = ports;
    this.#worker = worker;
    this.#wake = wake;
  }

  /**
   * Stops a task and waits until it is final and its last event is written. Returns undefined if it is gone. Fails with
   * `abort_unconfirmed` if the owner doesn't confirm.
   */
  async stop(task_id: string, reason: Exclude<StopReason, 'lost'>): Promise<StopOutcome | undefined> {
    const { tasks, clock } = this.#ports;
    const end = clock.now() + limit_ms;
    for (let asked = false; clock.now() < end; ) {
      const task = (await tasks.find(task_id))?.task;
      if (!task) return undefined;
      if (isFinal(task)) return { task, stopped: asked && task.status === 'cancelled' };
      if (task.status === 'queued') {
        const withdrawn = await withdraw(this.#ports, task, reason);
        // The next tasks of its session may start now.
        if (withdrawn && task.reason !== null) this.#wake();
        if (withdrawn) return { task: withdrawn, stopped: true };
      } else if (await this.#ask(task_id, reason)) asked = true;
      else {
        if (await this.#worker.reap()) this.#wake();
        await sleep(250);
      }
    }
    throw fail('abort_unconfirmed', `Task ${task_id} runs on an instance that did not answer within ${limit_ms / 1000} s; try again`, {
      retry_after: 5,
    });
  }

  /** Handles stop requests of other instances. */
  answer(): Promise<() => Promise<void>> {
    return this.#ports.bus.respond(channels.stop, async ({ task_id, reason }: { task_id: string; reason: StopReason }) =>
      (await this.#worker.stop(task_id, reason)) ? { stopped: true } : undefined,
    );
  }

  /** Stops tasks whose rows may be gone: running generators on any instance, and the streams of waiting tasks. */
  async stopAll(tasks: readonly Task[], reason: Exclude<StopReason, 'lost'>): Promise<void> {
    for (const task of tasks) {
      if (await this.stop(task.id, reason)) continue;
      if (task.status !== 'queued') await this.#ask(task.id, reason);
      else
        await tellLast(this.#ports, task, [
          { type: 'message.aborted', data: { seq: 1 } },
          { type: 'done', data: { seq: 2, deleted: true } },
        ]);
    }
  }

  async #ask(task_id: string, reason: StopReason): Promise<boolean> {
    if (await this.#worker.stop(task_id, reason)) return true;
    return (await this.#ports.bus.request(channels.stop, { task_id, reason }, answer_ms)) !== undefined;
  }
}
