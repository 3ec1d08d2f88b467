import type { Frame, FrameReviewer } from '../../kernel/contract/index.js';
import type { Message, Task } from './contract.js';
import { messageData } from './frames.js';
import type { Ports } from './ports.js';

/** Frames without texts, which only members of the session get. */
const memberFrames = ['message.deleted', 'reaction', 'session.updated', 'unread'];

/** Checks frames that a socket gets late: it doesn't get texts that were edited or deleted since, or that its member may no longer see. */
export class FrameReview implements FrameReviewer {
  readonly types = ['message.created', 'message.updated', 'task.updated', ...memberFrames];
  readonly #ports: Pick<Ports, 'messages' | 'sessions' | 'tasks'>;

  constructor(ports: Pick<Ports, 'messages' | 'sessions' | 'tasks'>) {
    this.#ports = ports;
  }

  review({ type, data }: Frame, member_id: number): Promise<object | undefined> {
    if (memberFrames.includes(type)) return this.#ofMember(data as { session_id: string }, member_id);
    return type === 'task.updated' ? this.#task(data as { task: Task }, member_id) : this.#message(data as { message: Message }, member_id);
  }

  async #ofMember(data: { session_id: string }, member_id: number): Promise<object | undefined> {
    return (await this.#ports.sessions.get(data.session_id, member_id)) && data;
  }

  async #message(data: { message: Message }, member_id: number): Promise<object | undefined> {
    const { id, session_id } = data.message;
    if (!(await this.#ports.sessions.get(session_id, member_id))) return undefined;
    const message = (await this.#ports.messages.readShared(id))?.message;
    if (!message) return undefined;
    return message.edited_at === null && message.deleted_at === null ? data : messageData(message);
  }

  async #task(data: { task: Task }, member_id: number): Promise<object | undefined> {
    const { id, title, session_id } = data.task;
    if (!(await this.#ports.sessions.get(session_id, member_id))) return undefined;
    const task = (await this.#ports.tasks.find(id))?.task;
    if (!task) return undefined;
    return task.title === title ? data : { task: { ...data.task, title: task.title } };
  }
}
