import type { StreamEvent } from '../../../kernel/contract/index.js';
import type { Message, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import { notThere } from './readers.js';
import { type Following, ReplyEvents } from './reply-events.js';
import { sessionTopic } from './topics.js';
import { isGap, View } from './view.js';

export type { Following } from './reply-events.js';

/** So many messages are shown again to a reader of a session who missed an unknown number. */
const recent = 20;

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
   * What happens in a session from now on; of a reply under way, what there is of it first. Fails with `session_not_found` once
   * the member takes part no more.
   */
  async *session(session_id: string, { member_id, after, signal }: Following): AsyncGenerator<StreamEvent> {
    const { readers, sessions } = this.#ports;
    const place = readers.enter({ session_id, member_id });
    try {
      if (!(await sessions.get(session_id, member_id))) throw notThere(session_id);
      yield* this.#session(session_id, { after, signal: AbortSignal.any([signal, place.signal]) });
      place.signal.throwIfAborted();
    } finally {
      place.leave();
    }
  }

  /** A message that nobody answers. */
  async *message(message: Message): AsyncGenerator<StreamEvent> {
    const ids = { task_id: null, message_id: message.id };
    yield { type: 'message.completed', data: { seq: 1, ...ids, message } };
    yield { type: 'done', data: { seq: 2, ...ids } };
  }

  async *#session(session_id: string, { after, signal }: Pick<Following, 'after' | 'signal'>): AsyncGenerator<StreamEvent> {
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
}
