import type { Fault, Message, NotInRoom } from './contract.js';

/** State of a task. `completed`, `failed` and `cancelled` are final. */
export type TaskStatus = 'queued' | 'running' | 'waiting_approval' | 'completed' | 'failed' | 'cancelled';

/** The work of answering one message. A session runs one task at a time, a room one of each AI employee; the others are `queued`. */
export interface Task {
  id: string;
  session_id: string;
  /** The message to answer. */
  message_id: string;
  /** The message into which the answer is written. */
  reply_id: string;
  /** The AI employee that works on it. */
  member_id: number;
  /** The member for whom it works. */
  requested_by: number;
  /** Node on which the task runs, or for which it waits; null if it needs none. */
  node_id: number | null;
  /** Beginning of the message. */
  title: string;
  status: TaskStatus;
  /**
   * Reason for the status, if there is a special one: `aborted`, `session_deleted`, `left_room`, `room_widened`, `member_deleted`,
   * `member_inactive`, `node_deleted`, or the failure's code; for a `queued` task that waits for its node `node_offline` or `node_draining`.
   */
  reason: string | null;
  progress: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  error: Fault | null;
}

/** A text for a waiting or running task. */
export interface JoinInput {
  task_id: string;
  /** 1 to 32,000 characters; empty only with files. */
  content: string;
  /** As in `SendInput`. */
  files?: readonly string[];
}

/** A text that was sent into a waiting or running task. */
export interface Joined {
  /** The text, as a message of the session. */
  message_id: string;
  session_id: string;
  task_id: string;
  /** The task, and in a room those of other AI employees that answer the text. */
  task_ids: string[];
  /** People whom the text mentions but who are not in the room. */
  not_in_room: NotInRoom[];
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

/** A page of the waiting and running tasks. */
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
