/** Part of a session's or a thread's messages. */
export interface PageOptions {
  before?: string | undefined;
  limit: number;
  /** Kind of what the id names. Default: `session`. */
  of?: keyof typeof scopes;
}

/** Conditions for the messages of a session, those outside of its threads, and those of a thread with its first one. Benchmark row `growth-messages`: each page. */
export const scopes = {
  session: 'session_id = $1',
  roots: 'session_id = $1 AND thread_id IS NULL',
  thread: '(thread_id = $1 OR id = $1)',
} as const satisfies Record<string, string>;
