import type { Entry, Gap, StreamEvent } from '../../../kernel/contract/index.js';
import type { Task } from '../contract.js';
import type { Ports } from '../ports.js';
import { isFinal } from './outcome.js';
import { Patience } from './patience.js';
import { notThere, type Place } from './readers.js';
import { taskTopic } from './recorder.js';
import { isGap, View } from './view.js';

export interface Following {
  /** The reader. */
  member_id: number;
  /** Whether the member itself reads: then what it was given is no longer unread. */
  reads: boolean;
  after?: string | undefined;
  signal: AbortSignal;
}

type Item = Entry | Gap;
type Step = IteratorResult<StreamEvent, undefined>;

/** After so long without an event, a reader asks the database whether there is anything to wait for. */
const doubt_ms = 5_000;
/** Limit of waiting for the journal of a final task, whose entries come at once or are gone. */
const replay_ms = 400;

/**
 * All events of a task's reply, up to `done`, for one reader. Written out instead of as a generator, which makes a dozen promises
 * for each event: hundreds of readers are given thousands of pieces of text a second.
 */
export class ReplyEvents implements AsyncIterableIterator<StreamEvent> {
  readonly #task: Task;
  readonly #following: Following;
  readonly #ports: Ports;
  readonly #patience = new Patience<IteratorResult<Item>>();
  #place: Place | undefined;
  #view!: View;
  /** Aborts when it is read no further, or its reader takes part no more. */
  #signal!: AbortSignal;
  #items: AsyncIterator<Item> | undefined;
  #next!: Promise<IteratorResult<Item>>;
  #isFinal: boolean;
  /** The events of one item that is more than a piece of text, and whether it ends the stream. */
  #several: AsyncGenerator<StreamEvent> | undefined;
  #isLast = false;
  #closed = false;

  constructor(task: Task, following: Following, ports: Ports) {
    this.#task = task;
    this.#following = following;
    this.#ports = ports;
    this.#isFinal = isFinal(task);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Fails with `session_not_found` once the member takes part no more. */
  next(): Promise<Step> {
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    if (!this.#items) return this.#begin();
    if (this.#several) return this.#more(this.#several);
    return this.#patience.wait(this.#next, this.#isFinal ? replay_ms : doubt_ms).then(this.#came, this.#failed);
  }

  async return(): Promise<Step> {
    this.#close();
    return { done: true, value: undefined };
  }

  async #begin(): Promise<Step> {
    const { readers, sessions, messages, journal } = this.#ports;
    const { member_id, reads, after } = this.#following;
    const { id, session_id, reply_id } = this.#task;
    this.#place = readers.enter({ session_id, member_id }, { reads });
    try {
      if (!(await sessions.get(session_id, member_id))) throw notThere(session_id);
    } catch (fault) {
      return this.#failed(fault);
    }
    if (this.#closed) return { done: true, value: undefined };
    const signal = AbortSignal.any([this.#following.signal, this.#place.signal]);
    this.#signal = signal;
    this.#view = new View(messages, signal);
    // The journal may have lost the beginning.
    if (after === undefined) this.#view.begin(reply_id);
    this.#items = journal.follow(taskTopic(id), { after, signal })[Symbol.asyncIterator]();
    this.#next = this.#items.next();
    return this.next();
  }

  readonly #came = (step: IteratorResult<Item> | 'idle'): Step | Promise<Step> => {
    if (this.#closed) return { done: true, value: undefined };
    if (step === 'idle') return this.#doubt();
    // The reader had it all before; without an event it would come back again and again.
    if (step.done) return this.#show(doneOf(this.#task, this.#signal), true);
    this.#next = (this.#items as AsyncIterator<Item>).next();
    this.#patience.follow(this.#next);
    const delta = this.#view.delta(step.value);
    if (delta) return { done: false, value: delta };
    if (isGap(step.value)) return this.#gap();
    return this.#show(this.#view.show(step.value), step.value.type === 'done');
  };

  #show(events: AsyncGenerator<StreamEvent>, isLast: boolean): Promise<Step> {
    this.#several = events;
    this.#isLast = isLast;
    return this.#more(events);
  }

  async #more(events: AsyncGenerator<StreamEvent>): Promise<Step> {
    try {
      const step = await events.next();
      if (!step.done) {
        if (step.value.type === 'message.completed' || step.value.type === 'message.failed') await this.#read();
        // A member who stopped the reply must not wait.
        if (step.value.type === 'message.aborted') this.#ports.track(this.#read());
        return step;
      }
      this.#several = undefined;
      if (!this.#isLast) return await this.next();
      this.#place?.signal.throwIfAborted();
      return await this.return();
    } catch (fault) {
      return this.#failed(fault);
    }
  }

  /** Marks the reply as read once the reader has got all of it. */
  async #read(): Promise<void> {
    const { member_id, reads } = this.#following;
    const { session_id, reply_id } = this.#task;
    if (reads) await this.#ports.read_marks.mark({ session_id, member_id, message_id: reply_id });
  }

  async #doubt(): Promise<Step> {
    try {
      if (this.#isFinal) return await this.#show(this.#outcome(), true);
      const job = await this.#ports.tasks.find(this.#task.id);
      // Also where the task is gone.
      this.#isFinal = !job || isFinal(job.task);
      return await this.next();
    } catch (fault) {
      return this.#failed(fault);
    }
  }

  readonly #failed = (fault: unknown): never => {
    this.#close();
    throw fault;
  };

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#patience.end();
    this.#next?.catch(() => undefined);
    void this.#items?.return?.();
    this.#place?.leave();
  }

  /** The journal may have only a part of the end of a reply. */
  async #gap(): Promise<Step> {
    try {
      const job = await this.#ports.tasks.find(this.#task.id);
      this.#isFinal = !job || isFinal(job.task);
    } catch (fault) {
      return this.#failed(fault);
    }
    return this.#isFinal ? this.#show(this.#outcome(), true) : this.#show(this.#stored(), false);
  }

  async *#stored(): AsyncGenerator<StreamEvent> {
    const stored = await this.#ports.messages.find(this.#task.reply_id);
    if (stored) yield this.#view.snapshot(stored);
  }

  /** The end of a final task that the journal no longer has. */
  async *#outcome(): AsyncGenerator<StreamEvent> {
    const { tasks, messages } = this.#ports;
    const { id, reply_id } = this.#task;
    const ids = { task_id: id, message_id: reply_id };
    const [job, stored] = await Promise.all([tasks.find(id), messages.find(reply_id)]);
    if (!job || !stored) return yield { type: 'done', data: { seq: 0, ...ids, deleted: true } };
    const { message, seq } = stored;
    if (!this.#view.has(stored)) yield this.#view.snapshot(stored);
    const type = `message.${message.status === 'streaming' ? 'failed' : message.status}`;
    yield { type, data: { seq: seq + 1, ...ids, ...(message.error && { error: message.error }), message } };
    yield { type: 'task.updated', data: { seq: seq + 2, ...ids, task: job.task } };
    yield { type: 'done', data: { seq: seq + 3, ...ids } };
  }
}

async function* doneOf({ id: task_id, reply_id: message_id }: Task, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  if (!signal.aborted) yield { type: 'done', data: { seq: 0, task_id, message_id } };
}
