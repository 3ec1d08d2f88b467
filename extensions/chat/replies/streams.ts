import type { StreamEvent, StreamEvents } from '../../../kernel/contract/index.js';
import type { Message, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { StoredMessage } from '../store/messages-sql.js';
import { notThere, type Reader } from './readers.js';
import { type EventData, sessionTopic } from './recorder.js';
import { type Following, ReplyEvents } from './reply-events.js';
import { isGap, View } from './view.js';

export type { Following } from './reply-events.js';

/** Messages sent again to a reader of a session who missed an unknown number. */
const recent = 20;

/** The events after which nothing of a message is missing. */
const ends = new Set(['message.completed', 'message.failed', 'message.aborted']);

/** Where a reader of a session starts, and the replies that were under way there. */
interface Start {
  from: string;
  begun: readonly StoredMessage[];
}

/** The streams of replies: from the journal, and from the database where the journal has a gap. */
export class Streams {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** All events of a task's reply, up to `done`. Fails with `session_not_found` once the member takes part no more. */
  reply(task: Task, following: Following): AsyncIterable<StreamEvent> {
    return new ReplyEvents(task, following, this.#ports);
  }

  /**
   * Streams what happens in a session from now on; a reply under way is sent first as far as it is. Its events fail with `session_not_found`
   * once the member takes part no more.
   */
  async session(session_id: string, { member_id, reads, after, signal }: Following): Promise<StreamEvents> {
    const from = after ?? (await this.#ports.journal.head(sessionTopic(session_id)));
    const begun = after === undefined ? await this.#ports.messages.underWay(session_id, recent) : [];
    const events = () => this.#entered({ session_id, member_id }, { from, begun }, { reads, signal });
    // After a cursor nothing is told of the beginning of a reply, so who was not told it yet has to come back without one.
    return { ...(begun.length === 0 ? { from } : {}), [Symbol.asyncIterator]: events };
  }

  /** A message that nobody answers. */
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
        if (reads && ends.has(event.type))
          await this.#ports.read_marks.mark({ ...reader, message_id: (event.data as EventData).message_id });
        yield event;
      }
      place.signal.throwIfAborted();
    } finally {
      place.leave();
    }
  }

  async *#session(session_id: string, { from, begun }: Start, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const { journal, messages } = this.#ports;
    const view = new View(messages, signal);
    for (const stored of begun) yield view.snapshot(stored);
    for await (const item of journal.follow(sessionTopic(session_id), { after: from, signal })) {
      const delta = view.delta(item);
      if (delta) yield delta;
      else if (isGap(item)) yield* this.#recent(session_id, view);
      else yield* view.show(item);
    }
  }

  /** One after the other, each looked for together with other readers: a gap is everybody's, and messages may be large. */
  async *#recent(session_id: string, view: View): AsyncGenerator<StreamEvent> {
    const { messages } = this.#ports;
    for (const id of await messages.latest(session_id, recent)) {
      const stored = await messages.shown(id);
      if (stored) yield view.snapshot(stored);
    }
  }
}
