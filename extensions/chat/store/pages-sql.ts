/** Part of a session's or a thread's messages. */
export interface PageOptions {
  before?: string | undefined;
  /** Only later messages, the earliest of them. Not together with `before`. */
  after?: string | undefined;
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

/**
 * Returns SQL for the latest (`ASC`: the earliest) `$2` messages of session `$1` with their sizes in bytes and the running total from the
 * first of them. Sizes are read without the texts. Use it with CROSS JOIN, because SQLite might otherwise scan all messages.
 */
export function withSizes(where: string, scope: string = scopes.session, order: 'ASC' | 'DESC' = 'DESC'): string {
  return `SELECT weighed_id, size, sum(size) OVER (ORDER BY weighed_at ${order}) AS total FROM (
    SELECT id AS weighed_id, created_at AS weighed_at, octet_length(content) + octet_length(tool_calls) AS size FROM chat_messages
    WHERE ${scope} ${where} ORDER BY created_at ${order} LIMIT $2) AS page`;
}
