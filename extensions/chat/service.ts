import { fail as failCore } from '../../kernel/contract/index.js';
import { parseBefore } from './before.js';
import { fail, invalidInput } from './codes.js';
import type { Message, MessagePage, Session, Stopped, StoppedTask, Task } from './contract.js';
import { notTheAsker } from './joins.js';
import type { Ports } from './ports.js';
import type { Remover } from './remover.js';
import { notThere } from './replies/readers.js';
import type { Stopper } from './replies/stopper.js';
import type { SessionMembers } from './session-members.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Age up to which failed tasks are listed. */
const failed_ms = 7 * 86_400_000;

interface ServiceParts {
  ports: Ports;
  sessionMembers: SessionMembers;
  stopper: Stopper;
  remover: Remover;
}

/** Access of a member to its sessions, messages and tasks; those of others count as missing. */
export class Service {
  readonly #ports: Ports;
  readonly #sessionMembers: SessionMembers;
  readonly #stopper: Stopper;
  readonly #remover: Remover;

  constructor({ ports, sessionMembers, stopper, remover }: ServiceParts) {
    this.#ports = ports;
    this.#sessionMembers = sessionMembers;
    this.#stopper = stopper;
    this.#remover = remover;
  }

  sessions(member_id: number, page: { target_type?: string; limit: number; offset: number }): Promise<Session[]> {
    return this.#ports.sessions.list(member_id, page);
  }

  async session(id: string, member_id: number): Promise<Session> {
    const session = await this.#ports.sessions.get(id, member_id);
    if (!session) throw notThere(id);
    return session;
  }

  /** Deletes a session. One with a person is only hidden for the caller, and an added guest only leaves it; others are deleted with their content. */
  async deleteSession(id: string, member_id: number): Promise<void> {
    const session = await this.session(id, member_id);
    // A member who doesn't own the room only leaves it.
    if (session.target_type === 'room' && session.role !== 'owner')
      return this.#sessionMembers.remove(id, member_id, { member_id, scopes: 'all' });
    if (await this.#sessionMembers.leave(id, member_id)) return;
    if (session.target_type === 'member') return this.#ports.sessions.hide(id, member_id);
    const { ids } = await this.#ports.membership.of(id);
    await this.#remover.session(id);
    this.#ports.frames.left(ids, id);
  }

  async messages({ session_id, thread_id, threads, before, after, limit }: MessagePage, member_id: number): Promise<Message[]> {
    const { messages, reactions } = this.#ports;
    const root = thread_id === undefined ? undefined : await this.#rootOf(thread_id, { session_id, member_id });
    const session = root?.session_id ?? session_id;
    if (session === undefined) throw failCore('invalid_input', "'session_id' or 'thread_id' is required");
    if (!root) await this.session(session, member_id);
    const of = root ? 'thread' : threads === 'roots' ? 'roots' : 'session';
    if (before !== undefined && after !== undefined) throw invalidInput('after', "'after' and 'before' exclude each other");
    const edges = {
      before: before && (await this.#timeOf(before, session, 'before')),
      after: after && (await this.#timeOf(after, session, 'after')),
    };
    const page = await messages.page(root?.id ?? session, { of, limit, ...edges });
    return reactions.markMine(page, member_id);
  }

  /**
   * Returns the first message of the thread that a message begins or is in. The failure is the same for a message of another session that the
   * member sees: an AI employee may read the threads of its room for anybody, and must not reveal what its asker sees elsewhere.
   */
  async #rootOf(id: string, { session_id, member_id }: { session_id: string | undefined; member_id: number }): Promise<Message> {
    const { messages, sessions } = this.#ports;
    const message = (await messages.find(id))?.message;
    const isHere = message !== undefined && (session_id === undefined || message.session_id === session_id);
    if (!isHere || !(await sessions.get(message.session_id, member_id))) throw threadNotThere(id);
    const root = message.thread_id === null ? message : (await messages.find(message.thread_id))?.message;
    if (!root) throw threadNotThere(id);
    return root;
  }

  async message(id: string, member_id: number): Promise<Message> {
    const message = (await this.#ports.messages.find(id))?.message;
    const visible = message && (await this.#ports.sessions.get(message.session_id, member_id));
    if (!visible) throw fail('message_not_found', `There is no message ${id} that you can see`);
    const [marked] = await this.#ports.reactions.markMine([message], member_id);
    return marked as Message;
  }

  async task(id: string, member_id: number): Promise<Task> {
    const task = (await this.#ports.tasks.find(id))?.task;
    const visible = task && (await this.#ports.sessions.get(task.session_id, member_id));
    if (!visible) throw fail('task_not_found', `There is no task ${id} that you can see`);
    return task;
  }

  /** Returns the tasks that answer a message which the caller may see, the one that a text has joined first. */
  async tasksOf({ id, session_id, task_id }: Message): Promise<Task[]> {
    const { tasks } = this.#ports;
    // A text that joined a task is answered by it, although the task answers another message.
    const started = (await tasks.ofMessage(id)).filter((task) => task.session_id === session_id);
    if (task_id === null || started.some((task) => task.id === task_id)) return started;
    const joined = (await tasks.find(task_id))?.task;
    return joined?.session_id === session_id ? [joined, ...started] : started;
  }

  /** Returns the member's open tasks, without those in rooms that it has left: they are being stopped. */
  async activeTasks(member_id: number): Promise<Task[]> {
    return this.#visible(await this.#ports.tasks.activeOf(member_id), member_id);
  }

  /** Returns the member's tasks that failed in the last days, latest first. */
  async failedTasks(member_id: number, limit: number): Promise<Task[]> {
    const { tasks, clock } = this.#ports;
    const since = new Date(clock.now() - failed_ms).toISOString();
    return this.#visible(await tasks.failedOf(member_id, { since, limit }), member_id);
  }

  async #visible(tasks: readonly Task[], member_id: number): Promise<Task[]> {
    const ids = [...new Set(tasks.map(({ session_id }) => session_id))];
    const seen = new Set(await this.#ports.sessions.among(ids, member_id));
    return tasks.filter(({ session_id }) => seen.has(session_id));
  }

  async abort(message_id: string, member_id: number): Promise<Stopped & { message_id: string; aborted: boolean }> {
    const message = await this.message(message_id, member_id);
    const { task_id, role } = message;
    if (task_id === null) return { message_id, task_id, status: null, aborted: false };
    const answering = role === 'assistant' ? [task_id] : (await this.tasksOf(message)).map(({ id }) => id);
    const task_ids = answering.length > 0 ? answering : [task_id];
    for (const id of task_ids) await this.#assertMayStop(await this.task(id, member_id), member_id);
    const stopped = await Promise.all(task_ids.map((id) => this.#stop(id)));
    return { message_id, task_id, status: stopped[0]?.status ?? null, aborted: stopped.some((one) => one.stopped) };
  }

  /** Fails in a room unless the member asked for the task or owns the room. */
  async #assertMayStop({ session_id, requested_by }: Task, member_id: number): Promise<void> {
    const session = await this.session(session_id, member_id);
    if (session.target_type === 'room' && requested_by !== member_id && session.role !== 'owner') throw notTheAsker();
  }

  async cancel(task_id: string, member_id: number): Promise<StoppedTask & { cancelled: boolean }> {
    await this.#assertMayStop(await this.task(task_id, member_id), member_id);
    const { status, stopped } = await this.#stop(task_id);
    return { task_id, status, cancelled: stopped };
  }

  async #stop(task_id: string): Promise<{ status: Task['status']; stopped: boolean }> {
    const outcome = await this.#stopper.stop(task_id, 'aborted');
    if (!outcome) throw fail('task_not_found', `Task ${task_id} no longer exists`);
    return { status: outcome.task.status, stopped: outcome.stopped };
  }

  async #timeOf(edge: string, session_id: string, path: 'before' | 'after'): Promise<string> {
    if (!uuid.test(edge)) return parseBefore(edge, path);
    const message = (await this.#ports.messages.find(edge.toLowerCase()))?.message;
    if (message?.session_id !== session_id) throw fail('message_not_found', `There is no message ${edge} in session ${session_id}`);
    return message.created_at;
  }
}

function threadNotThere(id: string): Error {
  return fail('message_not_found', `There is no thread of message ${id} that you can see`);
}
