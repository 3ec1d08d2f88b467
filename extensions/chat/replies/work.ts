import type { JobRun, Work, Worker } from '../../../kernel/contract/index.js';
import type { TaskRow } from '../models.js';
import { channels, type Ports } from '../ports.js';
import type { NewMessage } from '../store/messages-sql.js';
import { isOfType, type Job, jobTable, toJob } from '../store/tasks-sql.js';
import { showRoot } from '../threads.js';
import { type Claimed, Execution, type Writers } from './execution.js';
import { Flusher } from './flusher.js';
import {
  interrupted,
  isInRoom,
  notifyOutcome,
  Outcomes,
  type ReplyOutcome,
  readersOf,
  showOutcomes,
  showTask,
  tellLast,
  whoIsAway,
} from './outcome.js';

/** A claimed task and its reply. */
export interface ReplyJob extends Claimed {
  id: string;
}

export type ReplyWorker = Worker<ReplyJob, void>;

/**
 * Tasks claimed per transaction. On SQLite, where each claim waits for all other writes, one per transaction is too slow for 100 messages a
 * second, and eight start in bursts that delay new messages. On PostgreSQL, concurrent transactions that lock several sessions each would
 * wait for each other.
 */
const max_claimed = { sqlite: 2, postgres: 1 };

const outcome: ReplyOutcome = { task: 'failed', message: 'failed', reason: interrupted.code, error: interrupted };

/** Writes the replies of waiting tasks, at most once: a reply whose process died ends as `interrupted`. */
export class ReplyWork implements Work<TaskRow, ReplyJob, void> {
  readonly name = 'replies';
  readonly max_running = 1_200;
  readonly max_claimed: number;
  readonly always = true;
  readonly table;
  readonly fairness = { columns: ['requested_by'], of: ({ job }: ReplyJob) => [job.task.requested_by] };
  readonly lapsed = { fail: (seen: readonly TaskRow[], take: () => Promise<TaskRow[]>) => this.#interrupt(seen, take) };
  readonly #ports: Ports;
  readonly #writers: Writers;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.table = jobTable(ports.clock);
    this.max_claimed = max_claimed[ports.db.dialect];
    this.#writers = { flusher: new Flusher(ports), outcomes: new Outcomes(ports) };
  }

  filter() {
    const types = this.#ports.answerers().map(({ target_type }) => target_type);
    return types.length === 0 ? undefined : { where: isOfType(types) };
  }

  /** Stores empty replies with the claims, so that each claimed task has a reply. */
  async load(rows: readonly TaskRow[]): Promise<ReplyJob[]> {
    const { messages, frames } = this.#ports;
    if (rows.length === 0) return [];
    const jobs = rows.map(toJob);
    const empty = await this.#emptyReplies(jobs);
    const replies = new Map((await messages.insertAll(empty)).map(({ message }) => [message.id, message]));
    const loaded: ReplyJob[] = [];
    for (const job of jobs) {
      const { task } = job;
      const reply = replies.get(task.reply_id);
      if (reply) {
        const readers = await readersOf(this.#ports, job);
        frames.created(readers, reply);
        await showRoot(this.#ports, reply.thread_id, readers);
        showTask(this.#ports, job, readers);
      }
      loaded.push({ id: task.id, job, reply });
    }
    return loaded;
  }

  /** Returns the empty replies, each with a time of its own: a room may have several. */
  async #emptyReplies(jobs: readonly Job[]): Promise<NewMessage[]> {
    const { sessions, clock } = this.#ports;
    const ids = jobs.map(({ task }) => task.session_id);
    if (new Set(ids).size === ids.length) {
      const times = await sessions.nextTimes(ids, clock.now());
      return jobs.flatMap((job) => emptyReply(job, times.get(job.task.session_id)) ?? []);
    }
    const empty: NewMessage[] = [];
    for (const job of jobs) {
      const reply = emptyReply(job, await sessions.nextTime(job.task.session_id, clock.now()));
      if (reply) empty.push(reply);
    }
    return empty;
  }

  async perform(claimed: ReplyJob, run: JobRun): Promise<void> {
    const { signal, bus } = this.#ports;
    await new Execution(claimed, this.#ports, { ...this.#writers, run }).finished;
    // Leave the next task of the session to the new version.
    if (signal.aborted) await bus.publish(channels.wake, {}).catch(() => undefined);
  }

  async #interrupt(seen: readonly TaskRow[], take: () => Promise<TaskRow[]>): Promise<void> {
    const { db, bus, clock, outcomes } = this.#ports;
    const away = await whoIsAway(this.#ports, [...new Set(seen.map(({ requested_by }) => requested_by))]);
    const found = await db.transaction(async () => {
      const now = clock.iso();
      const jobs = (await take()).map(toJob);
      const found = [];
      for (const job of jobs) found.push(...(await this.#finish(job, { now, isAway: away.has(job.task.requested_by) })));
      return found;
    });
    // The next tasks of these sessions, including those that need a node, can start on any instance.
    if (found.length > 0) await bus.publish(channels.wake, {}).catch(() => undefined);
    for (const { task, seq } of found) {
      outcomes.add(outcome.task);
      // Readers may have seen more text than was stored: a snapshot corrects that.
      await tellLast(this.#ports, task, [
        { type: 'snapshot', data: { seq } },
        { type: 'message.failed', data: { seq: seq + 1, error: interrupted } },
        { type: 'task.updated', data: { seq: seq + 2, task } },
        { type: 'done', data: { seq: seq + 3 } },
      ]);
    }
  }

  /** Ends a task; returns it and the stored position of its reply. */
  async #finish(taken: Job, { now, isAway }: { now: string; isAway: boolean }) {
    const { messages, sessions, tasks, owner } = this.#ports;
    const { id, reply_id, session_id } = taken.task;
    const task = (await tasks.finish(owner(), [{ id, status: 'failed', reason: interrupted.code, error: interrupted }], now)).get(id);
    if (!task) return [];
    const job = { ...taken, task };
    const reply = await messages.interrupt(reply_id, interrupted, now);
    await sessions.lock([session_id]);
    const unread = await showOutcomes(this.#ports, reply ? [{ stored: reply, in_room: isInRoom(job) }] : [], now);
    await notifyOutcome(this.#ports, { job, outcome, isAway, task, message: reply?.message, unread: unread.get(session_id) ?? [] });
    return [{ task, seq: reply?.seq ?? 0 }];
  }
}

/** Returns the empty reply; undefined if the session is gone. */
function emptyReply({ task, member_name: sender_name }: Job, created_at: string | undefined): NewMessage | undefined {
  if (created_at === undefined) return undefined;
  const { reply_id: id, session_id, member_id: sender_id, message_id: reply_to, id: task_id } = task;
  const reply = { id, session_id, sender_id, sender_name, reply_to, task_id, created_at };
  return { ...reply, content: '', role: 'assistant', status: 'streaming', seq: 0 };
}
