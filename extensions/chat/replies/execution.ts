import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure, type JobRun } from '../../../kernel/contract/index.js';
import type { Answerer, Fault, Message, Run, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Messages } from '../store/messages-sql.js';
import type { Job } from '../store/tasks-sql.js';
import type { Flusher } from './flusher.js';
import { interrupted, isInRoom, type Outcomes, type ReplyOutcome, readersOf, type StoredOutcome, showTask, whoIsAway } from './outcome.js';
import { appendLast, Recorder } from './recorder.js';
import { Reply } from './reply.js';
import { ReplyRun } from './run.js';

/** Reason for stopping a reply. `lost`: its lease expired and another instance stored an outcome. */
export type StopReason =
  | 'aborted'
  | 'session_deleted'
  | 'left_room'
  | 'room_widened'
  | 'member_deleted'
  | 'member_inactive'
  | 'node_deleted'
  | 'interrupted'
  | 'lost';

/** A claimed task and its reply; undefined if the session is gone. */
export interface Claimed {
  job: Job;
  reply: Message | undefined;
}

/** Writers shared by all replies of a process. */
export interface Writers {
  flusher: Flusher;
  outcomes: Outcomes;
}

interface Means extends Writers {
  run: JobRun;
}

/** Time in which an answerer must stop. */
const stop_ms = 2_500;

/** Runs a claimed task, from the claim to its last event. */
export class Execution {
  readonly job: Job;
  readonly #ports: Ports;
  readonly #flusher: Flusher;
  readonly #outcomes: Outcomes;
  readonly #run: JobRun;
  readonly #reply: Reply;
  readonly #recorder: Recorder;
  /** Resolves when all its work has ended and its last event is written. */
  readonly finished: Promise<void>;

  constructor({ job, reply }: Claimed, ports: Ports, { flusher, outcomes, run }: Means) {
    this.job = job;
    this.#ports = ports;
    this.#flusher = flusher;
    this.#outcomes = outcomes;
    this.#run = run;
    this.#reply = new Reply({ task_id: job.task.id, message_id: job.task.reply_id });
    this.#recorder = new Recorder(this.#topics, { next_turn: ports.next_turn, take: () => this.#reply.take() });
    this.finished = this.#write(reply).catch((fault: unknown) => {
      // The lease expires, and another worker ends the task.
      ports.log.error('Could not store the outcome of a reply; it will be recorded as interrupted', {
        task_id: job.task.id,
        err: fault,
      });
    });
  }

  /** First reason for which it was stopped. */
  get #stopped(): StopReason | undefined {
    const { signal } = this.#run;
    return signal.aborted ? (signal.reason as StopReason) : undefined;
  }

  get #topics() {
    const { journal, log } = this.#ports;
    return { journal, log, task_id: this.job.task.id, session_id: this.job.task.session_id };
  }

  async #write(empty: Message | undefined): Promise<void> {
    const run = empty && (await this.#prepare(empty));
    if (!run) return void (await this.#settle(cancelled('session_deleted')));
    for (let asked = 0; ; asked += 1) {
      const { taken } = run;
      const outcome = await this.#answer(run);
      // The answerer doesn't read joined texts: they stay in the session for the next reply.
      if (asked > 0 && run.taken === taken) await run.joined();
      if (!(await this.#settle(outcome.task === 'completed' ? { ...outcome, joins: run.taken } : outcome))) return;
    }
  }

  async #answer(run: ReplyRun): Promise<ReplyOutcome> {
    run.open();
    try {
      if (!this.#stopped) await this.#untilStopped(this.#answerer().answer(run));
      return this.#stopped ? this.#stoppedOutcome(this.#stopped) : { task: 'completed', message: 'completed', reason: null, error: null };
    } catch (fault) {
      return this.#stopped ? this.#stoppedOutcome(this.#stopped) : failed(this.#faultOf(fault));
    } finally {
      run.close();
    }
  }

  /** Ends the reply; true if a text has joined in between and the reply continues. */
  async #settle(outcome: ReplyOutcome): Promise<boolean> {
    this.#ports.typing.stop(this.job.task);
    await this.#flusher.forget(this.#reply);
    await this.#recorder.settled();
    return this.#stopped !== 'lost' && (await this.#finish(outcome));
  }

  /** Announces the reply and creates the run that its answerer writes into. Undefined if the session is gone. */
  async #prepare(empty: Message): Promise<ReplyRun | undefined> {
    const { sessions, messages, tasks, images, files, typing, owner, clock, newId } = this.#ports;
    const { task, scopes } = this.job;
    const typist = { session_id: task.session_id, member_id: task.member_id };
    const [session, message] = await Promise.all([sessions.get(task.session_id, task.requested_by), messages.find(task.message_id)]);
    if (!session || !message) return undefined;
    const typing_to = isInRoom(this.job) ? 'room' : [task.requested_by];
    this.#reply.event('message.started', { message: empty });
    this.#reply.event('task.updated', { task });
    void this.#recorder.record(0);
    return new ReplyRun({
      task,
      session,
      message: message.message,
      asker: { member_id: task.requested_by, scopes },
      room: isInRoom(this.job) ? await this.#roomOf(task) : undefined,
      signal: this.#run.signal,
      reply: this.#reply,
      recorder: this.#recorder,
      flusher: this.#flusher,
      clock,
      history: (limit) => historyOf(messages, task, limit),
      joined: (after) => messages.joined(task, after),
      reread: (ids) => messages.among(task.session_id, ids),
      image: ({ url }) => images.ofSession(url, task.session_id),
      file: ({ id }) => files.ofSession(id, task.session_id, task.requested_by),
      wait: async (status) => {
        const waiting = await tasks.wait(task.id, owner(), status);
        this.#run.idle(status === 'waiting_approval');
        if (waiting) showTask(this.#ports, { ...this.job, task: waiting }, await readersOf(this.#ports, this.job));
        if (status === 'waiting_approval') typing.stop(typist);
        return waiting;
      },
      typing: () => typing.start(typist, typing_to),
      newId,
    });
  }

  async #roomOf({ id, session_id, requested_by }: Task): Promise<Run['room']> {
    const { rights, membership } = this.#ports;
    return {
      session_id,
      number: (await membership.of(session_id)).room_no,
      audience: () => rights.audience(session_id),
      decide: (call) => rights.decision(call, requested_by, session_id),
      confine: (decision) => rights.confine(id, session_id, decision),
    };
  }

  #answerer(): Answerer {
    const found = this.#ports.answerers().find(({ target_type }) => target_type === this.job.target_type);
    if (!found) throw new Error(`Nobody answers for '${this.job.target_type}'`);
    return found;
  }

  /** Waits for the answerer; after a stop, only for a limited time. */
  async #untilStopped(answer: Promise<void>): Promise<void> {
    const { signal } = this.#run;
    let answered = false;
    const given_up = new Promise<void>((resolve) => {
      const late = () => void sleep(stop_ms, undefined, { ref: false }).then(resolve);
      if (signal.aborted) late();
      else signal.addEventListener('abort', late, { once: true });
    }).then(() => {
      if (!answered) this.#ports.log.warn('An answerer did not stop in time; its further text is dropped', { task_id: this.job.task.id });
    });
    const settled = answer.finally(() => {
      answered = true;
    });
    settled.catch(() => undefined);
    await Promise.race([settled, given_up]);
  }

  #stoppedOutcome(reason: StopReason): ReplyOutcome {
    return reason === 'interrupted' ? failed(interrupted) : cancelled(reason);
  }

  #faultOf(fault: unknown): Fault {
    if (isFailure(fault)) return { code: fault.code, message: fault.message };
    this.#ports.log.error('A reply failed', { task_id: this.job.task.id, err: fault });
    return { code: 'internal_error', message: 'The reply failed with an internal error; see the server log' };
  }

  /** Stores the outcome, then publishes it, so that readers find it stored. True if the reply continues. */
  async #finish(outcome: ReplyOutcome): Promise<boolean> {
    const stored = await this.#storeOutcome(outcome);
    if (stored === 'lost' || stored === 'joined') return stored === 'joined';
    this.#ports.outcomes.add(outcome.task);
    const { task, message } = stored;
    const { error } = outcome;
    this.#reply.event(`message.${outcome.message}`, error ? { error } : {});
    if (task) this.#reply.event('task.updated', { task });
    this.#reply.event('done', message ? {} : { deleted: true });
    await appendLast(this.#topics, this.#reply.take());
    return false;
  }

  async #storeOutcome(outcome: ReplyOutcome): Promise<StoredOutcome> {
    for (const pause_ms of [200, 1_000, 3_000]) {
      try {
        return await this.#store(outcome);
      } catch (fault) {
        this.#ports.log.warn('Could not store the outcome of a reply; retrying', { task_id: this.job.task.id, err: fault });
        await sleep(pause_ms);
      }
    }
    return this.#store(outcome);
  }

  async #store(outcome: ReplyOutcome): Promise<StoredOutcome> {
    const { requested_by, session_id } = this.job.task;
    // No event for members who are online, because each event costs a row and they see the end of the reply.
    const isAway = outcome.task !== 'cancelled' && (await whoIsAway(this.#ports, [requested_by], session_id)).has(requested_by);
    return this.#outcomes.store({ job: this.job, outcome, isAway, progress: this.#reply.progress() });
  }
}

function failed(error: Fault): ReplyOutcome {
  return { task: 'failed', message: 'failed', reason: error.code, error };
}

function cancelled(reason: string): ReplyOutcome {
  return { task: 'cancelled', message: 'aborted', reason, error: null };
}

/**
 * Returns the conversation up to the message that a task answers. Each reply follows the message it answers, although other messages may
 * have arrived in between. Leaves out later messages that wait for their own task or joined this one.
 */
async function historyOf(messages: Messages, task: Task, limit: number): Promise<Message[]> {
  // The limit includes waiting messages, at most 20, which were sent before the reply began.
  const all = await messages.history(task.session_id, { asked: task.message_id, limit: limit + 25 });
  const asked = all.find(({ id }) => id === task.message_id) ?? (await messages.find(task.message_id))?.message;
  if (!asked) return [];
  const askedAt = new Map(all.map(({ id, created_at }) => [id, created_at]));
  const answered = ({ role, reply_to }: Message) => (role === 'assistant' ? reply_to : null);
  const askedIn = new Map(all.flatMap((message) => (answered(message) ? [[message.task_id, answered(message)]] : [])));
  askedIn.set(task.id, asked.id);
  const turn = (message: Message) => askedAt.get(answered(message) ?? askedIn.get(message.task_id) ?? '') ?? message.created_at;
  return all
    .filter((message) => message.id !== task.reply_id && message.id !== asked.id && turn(message) < asked.created_at)
    .sort((a, b) => compare(turn(a), turn(b)) || compare(answered(a) ? 1 : 0, answered(b) ? 1 : 0) || compare(a.created_at, b.created_at))
    .slice(-limit)
    .concat(asked);
}

function compare<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
