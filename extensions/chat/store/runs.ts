import type { RunRecord } from '../contract.js';
import type { MessageRow, Models, TaskRow } from '../models.js';
import { openStatuses } from './tasks-sql.js';

/** An open task, with the data that is visible without access to its reply. */
export interface OpenTask extends RunRecord {
  message_id: string;
  reply_id: string;
  session_id: string;
  /** 0 outside of rooms. */
  lane: number;
}

const taskColumns = [
  'id',
  'message_id',
  'reply_id',
  'session_id',
  'lane',
  'member_id',
  'member_name',
  'requested_by',
  'node_id',
  'status',
  'created_at',
  'started_at',
] as const satisfies (keyof TaskRow)[];
const replyColumns = ['id', 'input_tokens', 'output_tokens', 'tool_calls'] as const satisfies (keyof MessageRow)[];

type Reply = Pick<MessageRow, (typeof replyColumns)[number]>;

/** Reads the open tasks of all members from `chat_tasks` and `chat_messages`. */
export class OpenTasks {
  readonly #models: Pick<Models, 'tasks' | 'messages'>;

  constructor(models: Pick<Models, 'tasks' | 'messages'>) {
    this.#models = models;
  }

  /** Returns a page, oldest first; only of one AI employee if given. */
  page({ member_id, limit, offset }: { member_id?: number; limit: number; offset: number }): Promise<OpenTask[]> {
    return this.#find(member_id === undefined ? {} : { member_id }, { limit, offset });
  }

  async find(id: string): Promise<OpenTask | undefined> {
    return (await this.#find({ id }, { limit: 1 }))[0];
  }

  async #find(which: { id?: string; member_id?: number }, page: { limit: number; offset?: number }): Promise<OpenTask[]> {
    const { tasks, messages } = this.#models;
    const query = { attributes: [...taskColumns], order: ['created_at', 'id'], raw: true, ...page };
    const found: Pick<TaskRow, (typeof taskColumns)[number]>[] = await tasks.findAll({
      ...query,
      where: { ...which, status: openStatuses },
    });
    const replies: Reply[] = await messages.findAll({
      attributes: [...replyColumns],
      where: { id: found.map(({ reply_id }) => reply_id) },
      raw: true,
    });
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    return found.map(({ id: task_id, ...task }) => ({ task_id, ...task, ...progressOf(byId.get(task.reply_id)) }));
  }
}

/** Returns the progress of a reply; zero and null before it starts. */
function progressOf(reply: Reply | undefined): Pick<RunRecord, 'tool' | 'input_tokens' | 'output_tokens'> {
  return {
    input_tokens: reply?.input_tokens ?? 0,
    output_tokens: reply?.output_tokens ?? 0,
    tool: reply?.tool_calls.findLast(({ finished_at }) => finished_at === null)?.name ?? null,
  };
}
