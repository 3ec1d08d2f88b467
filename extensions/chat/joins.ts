import { fail as failCore } from '../../kernel/contract/index.js';
import type { Arrivals } from './arrivals.js';
import { fail } from './codes.js';
import type { Asker, Joined, Session } from './contract.js';
import { emitMentions } from './mentions.js';
import type { Ports } from './ports.js';
import { isFinal } from './replies/outcome.js';
import type { Job } from './store/tasks-sql.js';
import type { Targets } from './targets.js';
import { startOf } from './text.js';
import type { ThreadPlace } from './threads.js';

/** Limit of texts that join one task. */
const max_joins = 100;

interface JoinsParts {
  ports: Ports;
  targets: Targets;
  arrivals: Arrivals;
}

/** Where a text that joins a task belongs: in the thread of the message that the task answers. */
interface Joining {
  session: Session;
  place: ThreadPlace;
}

/**
 * Adds texts to waiting or running tasks. The lock on the task's row orders texts and the task's end, so that an accepted text always
 * reaches the answerer.
 */
export class Joins {
  readonly #ports: Ports;
  readonly #targets: Targets;
  readonly #arrivals: Arrivals;

  constructor({ ports, targets, arrivals }: JoinsParts) {
    this.#ports = ports;
    this.#targets = targets;
    this.#arrivals = arrivals;
  }

  /** Adds a text to a task. Fails with `task_not_found`, `task_finished`, `session_busy`, `forbidden` or `scope_missing`. */
  async add({ task_id, content }: { task_id: string; content: string }, asker: Asker): Promise<Joined> {
    const { db, sessions, clock, newId } = this.#ports;
    const { member_id: sender_id } = asker;
    const sender_name = await this.#targets.nameOf(sender_id);
    return db.transaction(async () => {
      const { session, place } = await this.#join(task_id, asker);
      const created_at = await sessions.nextTime(session.id, clock.now());
      if (created_at === undefined) throw notFound(task_id);
      const id = newId();
      await this.#arrivals.add({ id, session, task_id, content, head: startOf(content, 100), created_at, sender_id, sender_name, place });
      if (session.target_type !== 'room')
        await emitMentions(this.#ports, { session_id: session.id, message_id: id, task_id, sender_id, text: content });
      const joined: Joined = { message_id: id, session_id: session.id, task_id };
      db.afterCommit(() => this.#ports.track(this.#arrivals.show(joined)));
      return joined;
    });
  }

  async #join(task_id: string, asker: Asker): Promise<Joining> {
    const { tasks, sessions, messages } = this.#ports;
    const before = await tasks.find(task_id);
    const session = before && (await sessions.get(before.task.session_id, asker.member_id));
    if (!session) throw notFound(task_id);
    mayDirect(before, asker, session);
    if (await tasks.join(task_id, max_joins)) {
      const [asked] = await messages.among(session.id, [before.task.message_id]);
      return { session, place: { reply_to: null, thread_id: asked?.thread_id ?? null } };
    }
    const now = (await tasks.find(task_id))?.task;
    if (!now) throw notFound(task_id);
    if (isFinal(now)) throw fail('task_finished', `Task ${task_id} is finished: it is ${now.status}. Send a new message instead`);
    throw fail('session_busy', `${max_joins} texts have joined task ${task_id}; send a new message instead`);
  }
}

/** Fails if the caller may not direct the task: only its asking member may, with a token that has all rights of the task. */
function mayDirect({ task, scopes }: Job, asker: Asker, session: Session): void {
  if (task.requested_by !== asker.member_id && session.target_type === 'room') throw notTheAsker();
  if (task.requested_by !== asker.member_id)
    throw failCore('forbidden', "This task works for another member of the session, with that member's rights; send a new message instead");
  const lacks = asker.scopes !== 'all' && (scopes === 'all' || scopes.some((scope) => !asker.scopes.includes(scope)));
  if (lacks) throw failCore('scope_missing', 'This task works with rights that your token does not have; send a new message instead');
}

/** Returns the failure for members of a room who may not direct or stop a task. */
export function notTheAsker(): Error {
  return fail('not_the_asker', 'This task works for another member of the room; only that member may do this');
}

function notFound(task_id: string): Error {
  return fail('task_not_found', `There is no task ${task_id} that you can see`);
}
