import { Together } from '../../../kernel/contract/index.js';
import type { Fault, Message, MessageStatus, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Progress, StoredMessage } from '../store/messages.js';
import type { UnreadCount } from '../store/sessions.js';
import type { Job, Outcome } from '../store/tasks.js';
import { startOf } from '../text.js';
import { isFinal } from './final.js';

/** How a reply ends. */
export interface Ending {
  task: Outcome['status'];
  message: MessageStatus;
  reason: string | null;
  error: Fault | null;
  /** So many texts that joined are answered: where there are more it isn't the end. */
  joins?: number;
}

/** A reply that is to be ended. */
export interface End {
  job: Job;
  ending: Ending;
  /** Whether who asked for it is to be told of it. */
  isAway: boolean;
  progress: Progress;
}

/** What was stored, or why nothing was: somebody else has ended it, or a text has joined it. */
export type StoredEnd = { task: Task | undefined; message: Message | undefined } | 'lost' | 'joined';

/** What is told of one that was ended. */
interface Told {
  end: End;
  task: Task;
  message: Message | undefined;
  unread: readonly UnreadCount[];
}

/** So much of a text is shown in a list, in characters. */
const previewed = 100;
/** So many are stored by one transaction; what each has to tell afterwards holds up the text of other replies. */
const most = 8;

/**
 * Stores the ends of replies, in one transaction those that come while others are stored, or wait for their turn with them. Hundreds
 * that end at one moment take a fraction of the statements, and in between it is the others' text that has its turn.
 */
export class Endings {
  readonly #ports: Ports;
  readonly #together = new Together<End, StoredEnd>((take) => this.#store(take), { most });

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Fails where the database does. */
  store(end: End): Promise<StoredEnd> {
    return this.#together.do(end);
  }

  #store(take: () => readonly End[]): Promise<StoredEnd[]> {
    const { db, tasks, messages, sessions, clock, instance } = this.#ports;
    return db.transaction(async () => {
      const ends = take();
      const now = clock.iso();
      const finished = await tasks.finish(instance, ends.map(outcomeOf), now);
      const own = ends.filter(({ job }) => finished.has(job.task.id));
      const replies = own.length === 0 ? new Map<string, StoredMessage>() : await messages.finish(own.map(messageOf), now);
      // Who is just adding a task to one of the sessions is waited for: what comes next sees it.
      await sessions.hold(own.map(({ job }) => job.task.session_id));
      const unread = await this.#show([...replies.values()], now);
      const stored: StoredEnd[] = [];
      for (const end of ends) {
        const { id, reply_id, session_id } = end.job.task;
        const task = finished.get(id);
        const message = replies.get(reply_id)?.message;
        if (task) await this.#tell({ end, task, message, unread: unread.get(session_id) ?? [] });
        stored.push(task ? { task, message } : await this.#unended(end));
      }
      return stored;
    });
  }

  async #show(replies: readonly StoredMessage[], now: string): Promise<ReadonlyMap<string, UnreadCount[]>> {
    if (replies.length === 0) return new Map();
    const { messages, sessions } = this.#ports;
    const arrived = replies.map(({ message: { session_id, created_at, content, sender_id } }) => {
      return { session_id, created_at, preview: startOf(content, previewed), sender_id: sender_id ?? 0 };
    });
    const unread = await sessions.arrived(arrived, now);
    const membersOf = (session_id: string) => (unread.get(session_id) ?? []).map(({ member_id }) => member_id);
    await messages.index(replies.map((stored) => ({ stored, members: membersOf(stored.message.session_id) })));
    return unread;
  }

  async #tell({ end, task, message, unread }: Told): Promise<void> {
    const { frames, sessions } = this.#ports;
    const { session_id, requested_by } = task;
    frames.task(task);
    if (!message) return sessions.showActiveTask(session_id);
    frames.updated([requested_by], message);
    frames.unread(session_id, unread);
    if (end.isAway) await this.#emit(end, startOf(message.content, previewed));
  }

  async #emit({ job, ending: { task: status, error } }: End, preview: string): Promise<void> {
    if (status === 'cancelled') return;
    const { id: task_id, session_id, reply_id: message_id, member_id, requested_by } = job.task;
    const ended = { session_id, task_id, message_id, member_id, name: job.member_name, requested_by, status };
    await this.#ports.emit('chat.reply_ended', { ...ended, preview: error ? startOf(error.message, previewed) : preview });
  }

  async #unended({ job, ending: { joins } }: End): Promise<StoredEnd> {
    const task = (await this.#ports.tasks.find(job.task.id))?.task;
    if (!task) return { task, message: undefined };
    return joins === undefined || isFinal(task) ? 'lost' : 'joined';
  }
}

function outcomeOf({ job, ending: { task: status, reason, error, joins } }: End): Outcome {
  return { id: job.task.id, status, reason, error, ...(joins === undefined ? {} : { joins }) };
}

function messageOf({ job, ending: { message: status, error }, progress }: End) {
  return { id: job.task.reply_id, ...progress, status, error };
}
