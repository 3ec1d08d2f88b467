import { LeaseJudge } from '../../../kernel/contract/index.js';
import type { Ports } from '../ports.js';
import type { Job } from '../store/tasks.js';
import { whoIsAway } from './away.js';
import { type Ending, showEnded, tellEnded } from './ended.js';
import { interrupted } from './interrupted.js';
import type { Runner } from './runner.js';
import { tellLast } from './withdrawal.js';

const ending: Ending = { task: 'failed', message: 'failed', reason: interrupted.code, error: interrupted };

/** Ends what dead processes had claimed. */
export class Reaper {
  readonly #ports: Ports;
  readonly #runner: Runner;
  readonly #judge = new LeaseJudge();

  constructor(ports: Ports, runner: Runner) {
    this.#ports = ports;
    this.#runner = runner;
  }

  /** Records the claimed tasks of dead processes as interrupted. With `alone`, every other process is dead. Gives whether there were any. */
  async reap(alone = false): Promise<boolean> {
    const { tasks, db, clock, instance, ended } = this.#ports;
    const asked = await (alone ? tasks.requestedOfOthers(instance) : tasks.requestedAndLapsed());
    if (!(this.#judge.answered() || alone) || asked.length === 0) return false;
    // What runs here lives, even where a clock that was set says that its lease has lapsed.
    await this.#runner.renew();
    const away = await whoIsAway(this.#ports, asked);
    const reaped = await db.transaction(async () => {
      const now = clock.iso();
      const jobs = await tasks.reap(interrupted, { now, all_but: alone ? instance : undefined });
      const found = [];
      for (const job of jobs) found.push({ job, seq: await this.#end(job, { now, isAway: away.has(job.task.requested_by) }) });
      return found;
    });
    for (const { job, seq } of reaped) {
      ended.add(ending.task);
      await this.#tellReaders(job, seq);
    }
    return reaped.length > 0;
  }

  /** Gives up to where its reply was stored. */
  async #end(job: Job, { now, isAway }: { now: string; isAway: boolean }): Promise<number> {
    const { messages, sessions } = this.#ports;
    const { task } = job;
    const reply = await messages.interrupt(task.reply_id, interrupted, now);
    await sessions.hold([task.session_id]);
    const unread = await showEnded(this.#ports, reply ? [reply] : [], now);
    await tellEnded(this.#ports, { job, ending, isAway, task, message: reply?.message, unread: unread.get(task.session_id) ?? [] });
    return reply?.seq ?? 0;
  }

  /** They may have seen more than was stored: the snapshot takes it back. */
  #tellReaders({ task }: Job, seq: number): Promise<void> {
    return tellLast(this.#ports, task, [
      { type: 'snapshot', data: { seq } },
      { type: 'message.failed', data: { seq: seq + 1, error: interrupted } },
      { type: 'task.updated', data: { seq: seq + 2, task } },
      { type: 'done', data: { seq: seq + 3 } },
    ]);
  }
}
