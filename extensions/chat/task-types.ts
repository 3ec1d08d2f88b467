import type { Message, TaskStatus } from './contract.js';

/** A text that was sent into a waiting or running task. */
export interface Joined {
  /** The text, as a message of the session. */
  message_id: string;
  session_id: string;
  task_id: string;
}

/** A waiting or running task of any member, as administrators see it: without its content. */
export interface RunRecord {
  task_id: string;
  /** The AI employee. */
  member_id: number;
  member_name: string;
  /** The member for whom it works. */
  requested_by: number;
  node_id: number | null;
  status: TaskStatus;
  /** Name of the tool that it uses now. */
  tool: string | null;
  /** Tokens so far, as far as the model server has reported them. */
  input_tokens: number;
  output_tokens: number;
  created_at: string;
  started_at: string | null;
}

/** A waiting or running task, with the message and its reply if oversight is enabled for the AI employee. */
export interface RunDetail extends RunRecord {
  oversight: boolean;
  message: Message | null;
  reply: Message | null;
}

export interface RunQuery {
  /** Only tasks of this AI employee. */
  member_id?: number;
  limit: number;
  offset: number;
}

/** Result of an abort or a cancellation. When it is answered, the reply has ended and no event follows. */
export interface Stopped {
  task_id: string | null;
  /** The task's current status; null if nobody answers the message. */
  status: TaskStatus | null;
}

/** Result of stopping a task that exists. */
export interface StoppedTask extends Stopped {
  task_id: string;
  status: TaskStatus;
}
