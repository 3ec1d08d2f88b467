import type { StreamEvent, StreamEvents } from '../../../kernel/contract/index.js';
import type { Message, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { StoredMessage } from '../store/message-record.js';
import { mergedReplies } from './merged-replies.js';
import { notThere, type Reader } from './readers.js';
import { type EventData, sessionTopic } from './recorder.js';
import { changeOf, isChange, Replay } from './replay.js';
import { type Following, ReplyEvents } from './reply-events.js';
import { isGap, View } from './view.js';

export type { Following } from './reply-events.js';

/** Number of messages sent again to a reader of a session with a gap of unknown size. */
const max_recent = 20;

/** Events that end a message. */
const final_events = new Set(['message.completed', 'message.failed', 'message.aborted']);

/** Start position of a session's reader, and the replies in progress there. */
interface Start {
  from: string;
  begun: readonly StoredMessage[];
  /** Reviews the entries of a resumed stream. */
  replay: Replay | undefined;
}

/** Streams of replies, from the journal, or from the database if the journal has a gap. */
export class Streams {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Streams all events of a task's reply, up to `done`. Fails with `session_not_found` after the member was removed. */
  reply(task: Task, following: Following): AsyncIterable<StreamEvent> {
    return new ReplyEvents(task, following, this.#ports);
  }

  /** Streams all events of the replies to one message, told apart by `task_id`, up to `done` after the last. */
  replies(tasks: readonly Task[], following: Following): AsyncIterable<StreamEvent> {
    return mergedReplies(tasks, following, this.#ports);
  }

  /**
   * Streams the events of a session from now on, starting with the current text of a reply in progress. Fails with `session_not_found`
   * after the member was removed.
   */
  async session(session_id: string, { member_id, reads, after, signal }: Following): Promise<StreamEvents> {
    const head = await this.#ports.journal.head(sessionTopic(session_id));
    const from = after ?? head;
    const replay = after === undefined ? undefined : new Replay(this.#ports, { after, until: head });
    const begun = after === undefined ? await this.#ports.messages.inProgress(session_id, max_recent) : [];
    const events = () => this.#entered({ session_id, member_id }, { from, begun, replay }, { reads, signal });
    // No cursor while replies are in progress: after a reconnection with a cursor their start would be missing.
    return { ...(begun.length === 0 ? { from } : {}), [Symbol.asyncIterator]: events };
  }

  /** Streams a message that nobody answers. */
  async *message(message: Message, { member_id, reads }: Following): AsyncGenerator<StreamEvent> {
    const ids = { task_id: null, message_id: message.id };
    yield { type: 'message.completed', data: { seq: 1, ...ids, message } };
    if (reads) await this.#ports.read_marks.mark({ session_id: message.session_id, member_id, message_id: message.id });
    yield { type: 'done', data: { seq: 2, ...ids } };
  }

  async *#entered(reader: Reader, start: Start, { reads, signal }: Pick<Following, 'reads' | 'signal'>): AsyncGenerator<StreamEvent> {
    const { readers, sessions } = this.#ports;
    const { session_id, member_id } = reader;
    const place = readers.enter(reader, { reads });
    try {
      if (!(await sessions.get(session_id, member_id))) throw notThere(session_id);
      for await (const event of this.#session(session_id, start, AbortSignal.any([signal, place.signal]))) {
        if (reads && final_events.has(event.type))
          await this.#ports.read_marks.mark({ ...reader, message_id: (event.data as EventData).message_id });
        yield event;
      }
      place.signal.throwIfAborted();
    } finally {
      place.leave();
    }
  }

  async *#session(session_id: string, { from, begun, replay }: Start, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const { journal, messages } = this.#ports;
    const view = new View(messages, signal);
    for (const stored of begun) yield view.snapshot(stored);
    for await (const item of journal.follow(sessionTopic(session_id), { after: from, signal })) {
      if (isGap(item)) {
        replay?.end();
        yield* this.#recent(session_id, view);
        continue;
      }
      const entry = replay ? await replay.review(item) : item;
      const delta = entry && view.delta(entry);
      if (delta) yield delta;
      else if (entry) yield* isChange(entry) ? [await changeOf(entry, this.#ports)] : view.show(entry);
    }
  }

  /** Sends recent messages one by one. Reads are shared with other readers, because a gap affects all and messages may be large. */
  async *#recent(session_id: string, view: View): AsyncGenerator<StreamEvent> {
    const { messages } = this.#ports;
    for (const id of await messages.latest(session_id, max_recent)) {
      const stored = await messages.readShared(id);
      if (stored) yield view.snapshot(stored);
    }
  }
}
