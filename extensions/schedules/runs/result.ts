/** Limit of a run's result in characters. */
const max_result_length = 4_000;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Records that a run created, as in its row. */
export interface CreatedRecords {
  result: string;
  session_id: string | null;
  task_id: string | null;
}

/**
 * Returns an operation's output: its `result` if that is text, otherwise the whole answer as JSON. The session and the
 * task that it contains are linked.
 */
export function createdRecords(body: unknown): CreatedRecords {
  if (typeof body === 'string') return { result: cut(body), session_id: null, task_id: null };
  const { result, session_id, task_id } = (body ?? {}) as { result?: unknown; session_id?: unknown; task_id?: unknown };
  const text = typeof result === 'string' ? result : body === undefined || body === null ? '' : JSON.stringify(body);
  return { result: cut(text), session_id: idOf(session_id), task_id: idOf(task_id) };
}

/** Removes NUL, which PostgreSQL doesn't accept. */
export function cut(text: string): string {
  const storable = text.replaceAll('\0', '\uFFFD').toWellFormed();
  return storable.length > max_result_length ? `${storable.slice(0, max_result_length - 1).toWellFormed()}…` : storable;
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' && uuid.test(value) ? value : null;
}
