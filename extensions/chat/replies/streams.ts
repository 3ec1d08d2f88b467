import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, Gap, StreamEvent } from '../../../kernel/contract/index.js';
import type { Message, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Messages, StoredMessage } from '../store/messages.js';
import { isFinal } from './final.js';
import { Patience } from './patience.js';
import { notThere } from './readers.js';
import { type EventData, sessionTopic, taskTopic } from './topics.js';

export interface Following {
  /** Who reads. */
  member_id: number;
  after?: string | undefined;
  signal: AbortSignal;
}

type Events = Pick<Following, 'after' | 'signal'>;

/** After so long without an event, a reader asks the database whether there is anything to wait for. */
const doubt_ms = 5_000;
/** What is in the journal of a final task comes at once, or is not there any more. */
const replay_ms = 400;
/** Text that the journal has is stored within this. */
const behind_ms = 2_000;
/** So many messages are shown again to a reader of a session who missed an unknown number. */
const recent = 20;
/** Of so many messages a reader's place is remembered; older ones are final. */
const most_seen = 64;

/** The streams of replies: from the journal, and from the database where the journal has a gap. */
export class Streams {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** All events of a task's reply, up to `done`. Fails with `session_not_found` once the member takes part no more. */
  reply(task: Task, following: Following): AsyncGenerator<StreamEvent> {
    return this.#whileIn(task.session_id, following, (given) => this.#reply(task, given));
  }

  /**
   * What happens in a session from now on; of a reply under way, what there is of it first. Fails with `session_not_found` once
   * the member takes part no more.
   */
  session(session_id: string, following: Following): AsyncGenerator<StreamEvent> {
    return this.#whileIn(session_id, following, (given) => this.#session(session_id, given));
  }

  async *#whileIn(session_id: string, { member_id, after, signal }: Following, events: (given: Events) => AsyncGenerator<StreamEvent>) {
    const { readers, sessions } = this.#ports;
    const place = readers.enter({ session_id, member_id });
    try {
      if (!(await sessions.get(session_id, member_id))) throw notThere(session_id);
      yield* events({ after, signal: AbortSignal.any([signal, place.signal]) });
      place.signal.throwIfAborted();
    } finally {
      place.leave();
    }
  }

  async *#reply(task: Task, { after, signal }: Events): AsyncGenerator<StreamEvent> {
    const view = new View(this.#ports.messages, signal);
    // The journal may have lost the beginning.
    if (after === undefined) view.begin(task.reply_id);
    const items = this.#ports.journal.follow(taskTopic(task.id), { after, signal })[Symbol.asyncIterator]();
    const patience = new Patience<IteratorResult<Entry | Gap>>();
    let next = items.next();
    let final = isFinal(task);
    try {
      for (;;) {
        const step = await patience.wait(next, final ? replay_ms : doubt_ms);
        if (step === 'idle') {
          if (final) return yield* this.#ending(task, view);
          final = await this.#isFinal(task.id);
          continue;
        }
        if (step.done) break;
        next = items.next();
        const delta = view.delta(step.value);
        if (delta) yield delta;
        else yield* this.#shown(step.value, task.reply_id, view);
        if (step.value.type === 'done') return;
      }
      // The reader had it all before; without an event it would come back again and again.
      if (!signal.aborted) yield done(task);
    } finally {
      patience.end();
      next.catch(() => undefined);
      await items.return?.();
    }
  }

  /** A message that nobody answers. */
  async *message(message: Message): AsyncGenerator<StreamEvent> {
    const ids = { task_id: null, message_id: message.id };
    yield { type: 'message.completed', data: { seq: 1, ...ids, message } };
    yield { type: 'done', data: { seq: 2, ...ids } };
  }

  async *#session(session_id: string, { after, signal }: Events): AsyncGenerator<StreamEvent> {
    const { journal, messages } = this.#ports;
    const view = new View(messages, signal);
    const topic = sessionTopic(session_id);
    const from = after ?? (await journal.head(topic));
    if (after === undefined) yield* this.#underWay(session_id, view);
    for await (const item of journal.follow(topic, { after: from, signal })) {
      const delta = view.delta(item);
      if (delta) yield delta;
      else if (isGap(item)) yield* this.#recent(session_id, view);
      else yield* view.show(item);
    }
  }

  async *#underWay(session_id: string, view: View): AsyncGenerator<StreamEvent> {
    const latest = await this.#ports.messages.page(session_id, { limit: recent });
    for (const stored of latest) if (stored.message.status === 'streaming') yield view.snapshot(stored);
  }

  async *#recent(session_id: string, view: View): AsyncGenerator<StreamEvent> {
    for (const stored of await this.#ports.messages.page(session_id, { limit: recent })) yield view.snapshot(stored);
  }

  async *#shown(item: Entry | Gap, reply_id: string, view: View): AsyncGenerator<StreamEvent> {
    if (!isGap(item)) return yield* view.show(item);
    const stored = await this.#ports.messages.find(reply_id);
    if (stored) yield view.snapshot(stored);
  }

  /** Also where the task is gone. */
  async #isFinal(task_id: string): Promise<boolean> {
    const job = await this.#ports.tasks.find(task_id);
    return !job || isFinal(job.task);
  }

  /** The end of a final task that the journal no longer has. */
  async *#ending({ id, reply_id }: Task, view: View): AsyncGenerator<StreamEvent> {
    const ids = { task_id: id, message_id: reply_id };
    const [job, stored] = await Promise.all([this.#ports.tasks.find(id), this.#ports.messages.find(reply_id)]);
    if (!job || !stored) return yield { type: 'done', data: { seq: 0, ...ids, deleted: true } };
    const { message, seq } = stored;
    if (!view.has(stored)) yield view.snapshot(stored);
    const type = `message.${message.status === 'streaming' ? 'failed' : message.status}`;
    yield { type, data: { seq: seq + 1, ...ids, ...(message.error && { error: message.error }), message } };
    yield { type: 'task.updated', data: { seq: seq + 2, ...ids, task: job.task } };
    yield { type: 'done', data: { seq: seq + 3, ...ids } };
  }
}

/** What one reader has of each reply, so that a snapshot and the events around it fit together exactly. */
class View {
  readonly #messages: Messages;
  readonly #signal: AbortSignal;
  /** The last `seq` that the reader has of a message. */
  readonly #seen = new Map<string, number>();

  constructor(messages: Messages, signal: AbortSignal) {
    this.#messages = messages;
    this.#signal = signal;
  }

  /** The reader has nothing of a message, and wants all. */
  begin(message_id: string): void {
    this.#remember(message_id, 0);
  }

  /** The whole message so far. It has no cursor: the events that it covers have their own. */
  snapshot({ message, seq }: StoredMessage): StreamEvent {
    this.#remember(message.id, seq);
    return { type: 'snapshot', data: { seq, task_id: message.task_id, message_id: message.id, message } };
  }

  /** A piece of text that comes right after what the reader has: nearly all of a stream, so nothing is waited for. */
  delta(item: Entry | Gap): StreamEvent | undefined {
    if (item.type !== 'message.delta') return undefined;
    const { cursor, type, data } = item as Entry;
    const { message_id, seq } = data as EventData;
    if (this.#seen.get(message_id) !== seq - 1) return undefined;
    this.#seen.set(message_id, seq);
    return { id: cursor, type, data };
  }

  /** An entry as the reader needs it: not at all where a snapshot had it, after a snapshot where some are missing before it. */
  async *show(entry: Entry): AsyncGenerator<StreamEvent> {
    const data = entry.data as EventData;
    const { message_id, seq } = data;
    const seen = this.#seen.get(message_id);
    if (entry.type !== 'snapshot' && seen !== undefined) {
      // Before the reply begins its task may wait, and say more than once for what.
      if (seq <= seen && (seq > 0 || seen > 0)) return;
      if (seq > seen + 1) {
        const stored = await this.#storedUpTo(message_id, seq - 1);
        if (stored) yield this.snapshot(stored);
        if (stored && seq <= stored.seq) return;
      }
    }
    this.#remember(message_id, seq);
    yield { id: entry.cursor, type: entry.type, data: await this.#data(entry, data) };
  }

  async #data(entry: Entry, { joined_id, ...data }: EventData): Promise<EventData> {
    const carried = typeof joined_id === 'string' ? joined_id : carriesMessage(entry) ? data.message_id : undefined;
    return carried === undefined ? (data as EventData) : { ...(data as EventData), message: await this.#message(carried) };
  }

  has({ message, seq }: StoredMessage): boolean {
    return this.#seen.get(message.id) === seq;
  }

  #remember(message_id: string, seq: number): void {
    this.#seen.delete(message_id);
    this.#seen.set(message_id, seq);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > most_seen && oldest !== undefined) this.#seen.delete(oldest);
  }

  async #message(id: string): Promise<Message | null> {
    return (await this.#messages.find(id))?.message ?? null;
  }

  async #storedUpTo(id: string, seq: number): Promise<StoredMessage | undefined> {
    const tries = behind_ms / 100;
    for (let turn = 0; turn < tries && !this.#signal.aborted; turn += 1) {
      const stored = await this.#messages.find(id);
      if (!stored || stored.seq >= seq || stored.message.status !== 'streaming') return stored;
      await sleep(100);
    }
    return this.#messages.find(id);
  }
}

/** Entries of the journal are small: a whole message is added when it is read. */
function carriesMessage({ type }: Entry): boolean {
  return type === 'snapshot' || type === 'message.completed' || type === 'message.aborted' || type === 'message.failed';
}

function isGap(item: Entry | Gap): item is Gap {
  return item.type === 'gap';
}

function done(task: Task): StreamEvent {
  return { type: 'done', data: { seq: 0, task_id: task.id, message_id: task.reply_id } };
}
