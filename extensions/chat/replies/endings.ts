import { Together } from '../../../kernel/contract/index.js';
import type { Message, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Progress, StoredMessage } from '../store/messages.js';
import type { Outcome } from '../store/tasks.js';
import { type Ended, showEnded, tellEnded } from './ended.js';
import { isFinal } from './final.js';
import { interrupted } from './interrupted.js';

/** A reply that is to be ended. */
export interface End extends Pick<Ended, 'job' | 'ending' | 'isAway'> {
  progress: Progress;
}

/** What was stored, or why nothing was: somebody else has ended it, or a text has joined it. */
export type StoredEnd = { task: Task | undefined; message: Message | undefined } | 'lost' | 'joined';

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
    const { db, tasks, messages, sessions, clock, owner } = this.#ports;
    return db.transaction(async () => {
      const ends = take();
      const now = clock.iso();
      const finished = await tasks.finish(owner(), ends.map(outcomeOf), now);
      const own = ends.filter(({ job }) => finished.has(job.task.id));
      const replies = own.length === 0 ? new Map<string, StoredMessage>() : await messages.finish(own.map(messageOf), now);
      // Who is just adding a task to one of the sessions is waited for: what comes next sees it.
      await sessions.hold(own.map(({ job }) => job.task.session_id));
      const unread = await showEnded(this.#ports, [...replies.values()], now);
      const stored: StoredEnd[] = [];
      for (const end of ends) {
        const { id, reply_id, session_id } = end.job.task;
        const task = finished.get(id);
        const message = replies.get(reply_id)?.message;
        if (task) await tellEnded(this.#ports, { ...end, task, message, unread: unread.get(session_id) ?? [] });
        stored.push(task ? { task, message } : await this.#unended(end));
      }
      return stored;
    });
  }

  async #unended({ job, ending }: End): Promise<StoredEnd> {
    const { tasks, messages } = this.#ports;
    const task = (await tasks.find(job.task.id))?.task;
    if (!task) return { task, message: undefined };
    if (!isFinal(task)) return ending.joins === undefined ? 'lost' : 'joined';
    // Stored by an earlier try, whose answer was lost with the connection: nobody else ends what runs here but as interrupted.
    const isOwn = task.status === ending.task && task.reason === ending.reason && task.reason !== interrupted.code;
    return isOwn ? { task, message: (await messages.find(task.reply_id))?.message } : 'lost';
  }
}

function outcomeOf({ job, ending: { task: status, reason, error, joins } }: End): Outcome {
  return { id: job.task.id, status, reason, error, ...(joins === undefined ? {} : { joins }) };
}

function messageOf({ job, ending: { message: status, error }, progress }: End) {
  return { id: job.task.reply_id, ...progress, status, error };
}
