import { fail } from '../codes.js';
import type { Asker, Session, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Target } from '../targets.js';
import type { Placer } from './placer.js';
import { append, type ReplyEvent } from './recorder.js';
import type { ReplyWorker } from './work.js';

/** Limit of messages of a session that wait for their task. */
const max_waiting = 20;
/** Limit of waiting and running tasks of a member, in all its sessions. */
const max_open = 2_000;

interface QueueParts {
  ports: Ports;
  worker: Pick<ReplyWorker, 'adopt' | 'wake'>;
  placer: Pick<Placer, 'look'>;
}

/** A task of a message, for an AI employee that answers it. */
export interface NewTask {
  message_id: string;
  task_id: string;
  target: Target;
  session: Pick<Session, 'id' | 'target_type'>;
  asker: Asker;
  title: string;
  created_at: string;
}

/** Queues the tasks of messages, and starts them. */
export class TaskQueue {
  readonly #parts: QueueParts;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** Stores a task within the current transaction. Fails with `session_busy` or `too_many_tasks`. */
  async add({ message_id, task_id, target, session, asker, title, created_at }: NewTask): Promise<Task> {
    const { tasks, newId } = this.#parts.ports;
    const session_id = session.id;
    const lane = session.target_type === 'room' ? target.member_id : 0;
    const { waiting, open } = await tasks.backlog({ session_id, lane, member_id: asker.member_id });
    if (waiting >= max_waiting) throw busy(session_id);
    if (open >= max_open) throw tooMany();
    return tasks.insert({
      id: task_id,
      session_id,
      message_id,
      reply_id: newId(),
      target_type: lane === 0 ? session.target_type : 'ai',
      lane,
      member_id: target.member_id,
      member_name: target.name,
      node_id: target.node_id,
      requested_by: asker.member_id,
      scopes: asker.scopes,
      title,
      created_at,
    });
  }

  /** Announces tasks and starts them. Call it after the commit. */
  async begin(tasks: readonly Task[]): Promise<void> {
    const { ports, worker, placer } = this.#parts;
    const { journal, log } = ports;
    for (const task of tasks) {
      const queued: ReplyEvent = { type: 'task.updated', data: { seq: 0, task_id: task.id, message_id: task.reply_id, task } };
      await append({ journal, log, task_id: task.id, session_id: task.session_id }, [queued]);
      worker.adopt(task.id);
    }
    if (tasks.some(({ node_id }) => node_id === null)) await worker.wake();
    if (tasks.some(({ node_id }) => node_id !== null)) await placer.look();
  }
}

function busy(session_id: string): Error {
  return fail('session_busy', `Session ${session_id} has ${max_waiting} messages waiting for an answer; send more after some are answered`);
}

function tooMany(): Error {
  const message = `${max_open} of your messages wait for an answer; send more after some are answered`;
  return fail('too_many_tasks', message, { retry_after: 10 });
}
