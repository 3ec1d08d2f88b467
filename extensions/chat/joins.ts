import { fail as failCore } from '../../kernel/contract/index.js';
import type { Arrivals } from './arrivals.js';
import { fail, invalidInput } from './codes.js';
import type { Asker, Joined, JoinInput, Session, Task } from './contract.js';
import { emitMentions } from './mentions.js';
import type { Ports } from './ports.js';
import { isFinal } from './replies/outcome.js';
import type { TaskQueue } from './replies/queue.js';
import type { Addressed, RoomAddressees } from './rooms/addressees.js';
import { emitRoomMessage } from './rooms/room-messages.js';
import type { Job } from './store/tasks-sql.js';
import type { Targets } from './targets.js';
import { previewOf } from './text.js';
import type { ThreadPlace } from './threads.js';

/** Limit of texts that join one task. */
const max_joins = 100;

interface JoinsParts {
  ports: Ports;
  targets: Targets;
  arrivals: Arrivals;
  addressees: RoomAddressees;
  queue: TaskQueue;
}

/** Place of a text that joins a task: the thread of the message that the task answers. */
interface Joining {
  session: Session;
  /** The AI employee that gets the text. */
  employee: number;
  place: ThreadPlace;
}

/**
 * Adds texts to waiting or running tasks. The lock on the task's row orders texts and the task's end, so that an accepted text always
 * reaches the answerer.
 */
export class Joins {
  readonly #parts: JoinsParts;

  constructor(parts: JoinsParts) {
    this.#parts = parts;
  }

  /**
   * Adds a text with files to a task. In a room, other AI employees that the text is for answer it with a task of their own. Fails with
   * `invalid_input`, `task_not_found`, `file_not_found`, `task_finished`, `session_busy` (after 100 texts), `too_many_tasks`, `not_the_asker`,
   * `forbidden` or `scope_missing`.
   */
  async add({ task_id, content, files: file_ids = [] }: JoinInput, asker: Asker): Promise<Joined> {
    if (content === '' && file_ids.length === 0) throw invalidInput('content', "'content' may be empty only with files");
    const { targets, arrivals, queue, ports } = this.#parts;
    const { db, sessions, clock, newId } = ports;
    const { member_id: sender_id } = asker;
    const sender_name = await targets.nameOf(sender_id);
    const addressed = await this.#addressed(task_id, content, asker);
    const files = await ports.files.ofSender(file_ids, sender_id);
    return db.transaction(async () => {
      const { session, employee, place } = await this.#join(task_id, asker);
      const { id: session_id, title } = session;
      const created_at = await sessions.nextTime(session_id, clock.now());
      if (created_at === undefined) throw notFound(task_id);
      const [id, head] = [newId(), previewOf({ content, images: [], files }, 100)];
      const tasks: Task[] = [];
      for (const target of addressed?.targets ?? [])
        if (target.member_id !== employee)
          tasks.push(await queue.add({ message_id: id, task_id: newId(), target, session, asker, title: head, created_at }));
      const { mentions = [], not_in_room = [] } = addressed ?? {};
      await ports.files.attach(files, sender_id, { message_id: id, session_id });
      await arrivals.add({ id, session, task_id, content, files, mentions, head, created_at, sender_id, sender_name, place });
      for (const task of tasks) ports.frames.task(task);
      if (addressed) await emitRoomMessage(ports, addressed, { id, session_id, title, sender_id, sender_name, preview: head, created_at });
      else await emitMentions(ports, { session_id, message_id: id, task_id, sender_id, text: content });
      const joined: Joined = { message_id: id, session_id, task_id, task_ids: [task_id, ...tasks.map((task) => task.id)], not_in_room };
      db.afterCommit(() => ports.track(arrivals.show(joined).then(() => queue.begin(tasks))));
      return joined;
    });
  }

  /** Returns the addressees of a text in a room; undefined outside of rooms. Read before the transaction, as for a message that is sent. */
  async #addressed(task_id: string, content: string, asker: Asker): Promise<Addressed | undefined> {
    const { ports, addressees } = this.#parts;
    const task = (await ports.tasks.find(task_id))?.task;
    const session = task && (await ports.sessions.get(task.session_id, asker.member_id));
    return session?.target_type === 'room' ? addressees.of(session, content) : undefined;
  }

  async #join(task_id: string, asker: Asker): Promise<Joining> {
    const { tasks, sessions, messages } = this.#parts.ports;
    const before = await tasks.find(task_id);
    const session = before && (await sessions.get(before.task.session_id, asker.member_id));
    if (!session) throw notFound(task_id);
    mayDirect(before, asker, session);
    if (await tasks.join(task_id, max_joins)) {
      const [asked] = await messages.among(session.id, [before.task.message_id]);
      return { session, employee: before.task.member_id, place: { reply_to: null, thread_id: asked?.thread_id ?? null } };
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
