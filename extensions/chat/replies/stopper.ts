import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../codes.js';
import type { Task } from '../contract.js';
import { channels, type Ports } from '../ports.js';
import { interrupted, type StopReason } from './execution.js';
import { isFinal } from './final.js';
import type { Runner } from './runner.js';
import { tellLast, withdraw } from './withdrawal.js';

/** An owner answers within this, or it is asked again. */
const answer_ms = 6_000;
/** A dead owner's lease lapses before this. */
const limit_ms = 20_000;

/** A task as it is now, and whether it was ended by this call. */
export interface StopOutcome {
  task: Task;
  stopped: boolean;
}

/** Ends tasks that somebody else began: waiting ones, running ones on whatever instance, and those of the dead. */
export class Stopper {
  readonly #ports: Ports;
  readonly #runner: Runner;
  /** Looks for what may begin. */
  readonly #wake: () => void;

  constructor(ports: Ports, { runner, wake }: { runner: Runner; wake: () => void }) {
    this.#ports = ports;
    this.#runner = runner;
    this.#wake = wake;
  }

  /**
   * Stops a task and waits until it is final and its last event is written. Undefined: it is gone.
   * Fails with `abort_unconfirmed` where that can't be had.
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
        // It may have held up the next ones of its session.
        if (withdrawn && task.reason !== null) this.#wake();
        if (withdrawn) return { task: withdrawn, stopped: true };
      } else if (await this.#ask(task_id, reason)) asked = true;
      else {
        await this.reap();
        await sleep(250);
      }
    }
    throw fail('abort_unconfirmed', `Task ${task_id} runs on an instance that did not answer within ${limit_ms / 1000} s; try again`, {
      retry_after: 5,
    });
  }

  /** Answers another instance that wants a task stopped. */
  answer(): Promise<() => Promise<void>> {
    return this.#ports.bus.respond(channels.stop, async ({ task_id, reason }: { task_id: string; reason: StopReason }) =>
      (await this.#runner.stop(task_id, reason)) ? { stopped: true } : undefined,
    );
  }

  /** Records the claimed tasks of dead processes as interrupted. With `alone`, every other process is dead. */
  async reap(alone = false): Promise<void> {
    const { tasks, messages, sessions, frames, clock, db, instance } = this.#ports;
    if (!(alone ? await tasks.anyOfOthers(instance) : await tasks.anyLapsed())) return;
    const now = clock.iso();
    const reaped = await db.transaction(async () => {
      const dead = await tasks.reap(interrupted, { now, all_but: alone ? instance : undefined });
      const found = [];
      for (const task of dead) {
        const reply = await messages.interrupt(task.reply_id, interrupted, now);
        found.push({ task, reply });
        if (reply) frames.updated([task.requested_by], reply.message);
        frames.task(task);
        await sessions.hold([task.session_id]);
        await sessions.showActiveTask(task.session_id);
      }
      return found;
    });
    for (const { task, reply } of reaped) {
      // Readers may have seen more than was stored: the snapshot takes it back.
      const seq = reply?.seq ?? 0;
      await tellLast(this.#ports, task, [
        { type: 'snapshot', data: { seq } },
        { type: 'message.failed', data: { seq: seq + 1, error: interrupted } },
        { type: 'task.updated', data: { seq: seq + 2, task } },
        { type: 'done', data: { seq: seq + 3 } },
      ]);
    }
    if (reaped.length > 0) this.#wake();
  }

  /** Stops tasks whose rows may be gone: generators wherever they run, and the streams of those that waited. */
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
    if (await this.#runner.stop(task_id, reason)) return true;
    return (await this.#ports.bus.request(channels.stop, { task_id, reason }, answer_ms)) !== undefined;
  }
}
