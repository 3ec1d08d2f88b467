import type { Database } from '../../../kernel/contract/index.js';
import type { RunRecord, ToolCall } from '../contract.js';

/** A task that isn't final, with what is told of its reply to those who may not read it. */
export interface OpenTask extends RunRecord {
  message_id: string;
  reply_id: string;
}

type Row = Omit<OpenTask, 'tool'> & { tool_calls: string | null };

const open = `SELECT t.id AS task_id, t.message_id, t.reply_id, t.member_id, t.member_name, t.requested_by, t.node_id, t.status,
    COALESCE(m.input_tokens, 0) AS input_tokens, COALESCE(m.output_tokens, 0) AS output_tokens, m.tool_calls, t.created_at, t.started_at
  FROM chat_tasks t LEFT JOIN chat_messages m ON m.id = t.reply_id
  WHERE t.status IN ('queued', 'running', 'waiting_approval')`;

/** The tasks of all members, read from `chat_tasks` and `chat_messages`. */
export class OpenTasks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The oldest first; of one AI employee where it is named. */
  async page({ member_id, limit, offset }: { member_id?: number; limit: number; offset: number }): Promise<OpenTask[]> {
    const values = [limit, offset, ...(member_id === undefined ? [] : [member_id])];
    const of = member_id === undefined ? '' : 'AND t.member_id = $3';
    const rows = await this.#db.rows<Row>(`${open} ${of} ORDER BY t.created_at, t.id LIMIT $1 OFFSET $2`, values);
    return rows.map(toOpenTask);
  }

  async find(task_id: string): Promise<OpenTask | undefined> {
    const [row] = await this.#db.rows<Row>(`${open} AND t.id = $1`, [task_id]);
    return row && toOpenTask(row);
  }
}

function toOpenTask({ tool_calls, ...row }: Row): OpenTask {
  const calls = tool_calls === null || tool_calls === '[]' ? [] : (JSON.parse(tool_calls) as ToolCall[]);
  return { ...row, tool: calls.findLast(({ finished_at }) => finished_at === null)?.name ?? null };
}
