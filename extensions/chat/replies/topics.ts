/** The journal topic of a task: all events of one reply. */
export const taskTopic = (task_id: string): string => `task:${task_id}`;

/** The journal topic of a session: the events of all its replies, and the messages that people send. */
export const sessionTopic = (session_id: string): string => `session:${session_id}`;

/** What a topic's entries carry: which reply, and where in it. */
export interface EventData {
  /** Rises by one with each event of a message. */
  seq: number;
  task_id: string | null;
  message_id: string;
  [field: string]: unknown;
}

export interface ReplyEvent {
  type: string;
  data: EventData;
}
