import type { Entry, Gap, StreamEvent } from '../../../kernel/contract/index.js';
import type { Task } from '../contract.js';
import type { Ports } from '../ports.js';
import { isFinal } from './outcome.js';
import { notThere, type Place } from './readers.js';
import { taskTopic } from './recorder.js';
import { TaskTitles } from './replay.js';
import { StepWait } from './step-wait.js';
import { isGap, View } from './view.js';

export interface Following {
  /** The reader. */
  member_id: number;
  /** Whether the member itself reads: then received messages are marked as read. */
  reads: boolean;
  after?: string | undefined;
  signal: AbortSignal;
}

type Item = Entry | Gap;
type Step = IteratorResult<StreamEvent, undefined>;

/** Time without an event after which a reader checks in the database whether the task still runs. */
const check_ms = 5_000;
/** Wait for the journal of a finished task, whose entries arrive at once or are gone. */
const replay_ms = 400;

/**
 * Iterates over all events of a task's reply, up to `done`, for one reader. Not a generator, because that creates a dozen promises for each
 * event, and hundreds of readers receive thousands of pieces of text a second.
 */
export class ReplyEvents implements AsyncIterableIterator<StreamEvent> {
  readonly #task: Task;
  readonly #following: Following;
  readonly #ports: Ports;
  readonly #titles: TaskTitles;
  readonly #wait = new StepWait<IteratorResult<Item>>();
  #place: Place | undefined;
  #view!: View;
  /** Aborts when the reader disconnects or is removed from the session. */
  #signal!: AbortSignal;
  #items: AsyncIterator<Item> | undefined;
  #next!: Promise<IteratorResult<Item>>;
  #isFinal: boolean;
  /** Events of an item with more than a piece of text. */
  #pending_events: AsyncGenerator<StreamEvent> | undefined;
  #isLast = false;
  #closed = false;

  constructor(task: Task, following: Following, ports: Ports) {
    this.#task = task;
    this.#following = following;
    this.#ports = ports;
    this.#titles = new TaskTitles(ports, [task]);
    this.#isFinal = isFinal(task);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next event. Fails with `session_not_found` after the member was removed. */
  next(): Promise<Step> {
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    if (this.#pending_events) return this.#more(this.#pending_events);
    if (!this.#items) return this.#begin();
    return this.#wait.wait(this.#next, this.#isFinal ? replay_ms : check_ms).then(this.#came, this.#failed);
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
    // The journal still has the text of a deleted reply.
    if (this.#isFinal && (await messages.readShared(reply_id))?.message.deleted_at) return this.#show(this.#outcome(), true);
    // Begin with the database, because the journal may have lost the start.
    if (after === undefined) this.#view.begin(reply_id);
    this.#items = journal.follow(taskTopic(id), { after, signal })[Symbol.asyncIterator]();
    this.#next = this.#items.next();
    return this.next();
  }

  readonly #came = (step: IteratorResult<Item> | 'idle'): Step | Promise<Step> => {
    if (this.#closed) return { done: true, value: undefined };
    if (step === 'idle') return this.#doubt();
    // The reader has all events already; without another one it would reconnect forever.
    if (step.done) return this.#show(doneOf(this.#task, this.#signal), true);
    this.#next = (this.#items as AsyncIterator<Item>).next();
    this.#wait.follow(this.#next);
    const delta = this.#view.delta(step.value);
    if (delta) return { done: false, value: delta };
    if (isGap(step.value)) return this.#gap();
    return this.#show(this.#shown(step.value), step.value.type === 'done');
  };

  async *#shown(entry: Entry): AsyncGenerator<StreamEvent> {
    yield* this.#view.show(await this.#titles.review(entry));
  }

  #show(events: AsyncGenerator<StreamEvent>, isLast: boolean): Promise<Step> {
    this.#pending_events = events;
    this.#isLast = isLast;
    return this.#more(events);
  }

  async #more(events: AsyncGenerator<StreamEvent>): Promise<Step> {
    try {
      const step = await events.next();
      if (!step.done) {
        const { type } = step.value;
        // Don't await an aborted one: a member who stopped the reply must not wait.
        if (type === 'message.aborted') void this.#read();
        else if (type === 'message.completed' || type === 'message.failed') await this.#read();
        return step;
      }
      this.#pending_events = undefined;
      if (!this.#isLast) return await this.next();
      this.#place?.signal.throwIfAborted();
      return await this.return();
    } catch (fault) {
      return this.#failed(fault);
    }
  }

  /** Marks the reply as read after the reader has received all of it. */
  async #read(): Promise<void> {
    const { member_id, reads } = this.#following;
    const { session_id, reply_id } = this.#task;
    if (reads) await this.#ports.read_marks.mark({ session_id, member_id, message_id: reply_id });
  }

  async #doubt(): Promise<Step> {
    try {
      if (this.#isFinal) return await this.#show(this.#outcome(), true);
      const job = await this.#ports.tasks.find(this.#task.id);
      // A missing task counts as final.
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
    this.#wait.end();
    this.#next?.catch(() => undefined);
    void this.#items?.return?.();
    this.#place?.leave();
  }

  /** Fills a gap from the database, because the journal may have lost a part of the reply. */
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

  /** Returns the end of a finished task that is no longer in the journal. */
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
