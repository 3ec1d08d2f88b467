import { fail as failCore } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Asker, Joined, Task } from './contract.js';
import { isFinal } from './final.js';
import type { Ports } from './ports.js';
import type { Job } from './store/tasks.js';
import type { Targets } from './targets.js';
import { startOf } from './text.js';
import { type ReplyEvent, sessionTopic } from './topics.js';

/** So many texts join one task. */
const most_joins = 100;

/**
 * Takes texts into tasks that wait or run. Whether a text or the task's end comes first is decided at
 * the task's row, so that an accepted text is always given to whoever answers.
 */
export class Joins {
  readonly #ports: Ports;
  readonly #targets: Targets;

  constructor(ports: Ports, targets: Targets) {
    this.#ports = ports;
    this.#targets = targets;
  }

  /** Fails with `task_not_found`, `task_finished`, `session_busy`, and `scope_missing`. */
  add({ task_id, content }: { task_id: string; content: string }, asker: Asker): Promise<Joined> {
    const { db, sessions, messages, clock, newId } = this.#ports;
    return db.transaction(async () => {
      const task = await this.#join(task_id, asker);
      const { session_id } = task;
      const created_at = await sessions.nextTime(session_id, clock.now());
      if (created_at === undefined) throw notFound(task_id);
      const message_id = newId();
      const sender = { sender_id: asker.member_id, sender_name: await this.#targets.nameOf(asker.member_id) };
      const ids = { id: message_id, session_id, task_id, reply_to: null };
      await messages.insert({ ...ids, ...sender, role: 'user', content, status: 'completed', seq: 1, created_at });
      await sessions.arrived(session_id, { preview: startOf(content, 100), created_at, sender_id: asker.member_id, now: created_at });
      db.afterCommit(() => this.#ports.track(this.#show({ session_id, task_id, message_id })));
      return { message_id, session_id, task_id };
    });
  }

  async #join(task_id: string, asker: Asker): Promise<Task> {
    const { tasks, sessions } = this.#ports;
    const before = await tasks.find(task_id);
    if (!before || !(await sessions.get(before.task.session_id, asker.member_id))) throw notFound(task_id);
    mayDirect(before, asker);
    const task = await tasks.join(task_id, most_joins);
    if (task) return task;
    const now = (await tasks.find(task_id))?.task;
    if (!now) throw notFound(task_id);
    if (isFinal(now)) throw fail('task_finished', `Task ${task_id} is finished: it is ${now.status}. Send a new message instead`);
    throw fail('session_busy', `${most_joins} texts have joined task ${task_id}; send a new message instead`);
  }

  async #show({ session_id, task_id, message_id }: Joined): Promise<void> {
    const { journal, log } = this.#ports;
    const arrived: ReplyEvent = { type: 'message.completed', data: { seq: 1, task_id, message_id } };
    await journal.append(sessionTopic(session_id), [arrived]).catch((fault: unknown) => {
      log.warn('A message could not be shown to the readers of its session', { session_id, err: fault });
    });
  }
}

/** A token with few rights doesn't direct work that was begun with more. */
function mayDirect({ scopes }: Job, asker: Asker): void {
  const lacks = asker.scopes !== 'all' && (scopes === 'all' || scopes.some((scope) => !asker.scopes.includes(scope)));
  if (lacks) throw failCore('scope_missing', 'This task works with rights that your token does not have; send a new message instead');
}

function notFound(task_id: string): Error {
  return fail('task_not_found', `There is no task ${task_id} that you can see`);
}
