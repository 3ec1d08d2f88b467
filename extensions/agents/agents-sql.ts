/** Benchmark row `streams`: each run whose sender names nobody reads it. */
export const defaultEmployee = 'SELECT member_id FROM agents_default';

/** A claim: tells the first start on this database from all others, which wait at the row's key for its commit. */
export const beginFirstStart = 'INSERT INTO agents_default (id, member_id) VALUES (1, NULL) ON CONFLICT DO NOTHING';

/** Benchmark row `streams`: each run reads them. */
export const settingsOf = 'SELECT member_id, settings, updated_at FROM agents_settings WHERE member_id = $1';

/** Benchmark row `streams`, before each question to a model. */
export const dayLimitOf = 'SELECT tokens_per_day FROM agents_settings WHERE member_id = $1';

/** Benchmark row `streams`, before each question to a model. */
export const habitsOf = 'SELECT feature, message FROM agents_model_habits WHERE endpoint = $1 AND expires_at > $2';

/** Benchmark row `streams`: each run reads its conversation's. */
export const summaryOf = 'SELECT message_id, text FROM agents_summaries WHERE session_id = $1';

/** Benchmark row `streams`, after each answer of a model; RETURNING tells replies that were counted before from new ones. */
export const addReplies = (rows: string) => `INSERT INTO agents_usage
    (message_id, model, day, member_id, at, input_tokens, output_tokens, calls, estimated) VALUES ${rows}
  ON CONFLICT (message_id, model, day) DO UPDATE SET
    at = excluded.at,
    input_tokens = agents_usage.input_tokens + excluded.input_tokens,
    output_tokens = agents_usage.output_tokens + excluded.output_tokens,
    calls = agents_usage.calls + excluded.calls,
    estimated = agents_usage.estimated OR excluded.estimated
  RETURNING message_id, model, day, calls`;

/** Benchmark row `streams`, with {@link addReplies}; RETURNING tells which of the members have a limit. */
export const addDays = (rows: string) => `INSERT INTO agents_days
    (member_id, day, model, input_tokens, output_tokens, calls, replies) VALUES ${rows}
  ON CONFLICT (member_id, day, model) DO UPDATE SET
    input_tokens = agents_days.input_tokens + excluded.input_tokens,
    output_tokens = agents_days.output_tokens + excluded.output_tokens,
    calls = agents_days.calls + excluded.calls,
    replies = agents_days.replies + excluded.replies
  RETURNING member_id, (SELECT s.tokens_per_day FROM agents_settings s WHERE s.member_id = agents_days.member_id) AS tokens_per_day`;

/** A claim: of several that reach the same part of a day's tokens, one announces it. */
export const markAlert = 'INSERT INTO agents_alerts (member_id, day, percent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';

const columns = [
  ...['id', 'session_id', 'task_id', 'message_id', 'tool_call_id', 'member_id', 'requested_by', 'name', 'input', 'effect', 'status'],
  ...['reason', 'decided_by', 'decided_by_name', 'created_at', 'expires_at', 'decided_at'],
];
const returning = `RETURNING ${columns.join(', ')}`;

/** Reads a page of one table in the order of another's index; models would read all rows to sort them. */
export const decidable = (withStatus: boolean) => `SELECT ${columns.map((name) => `a.${name}`).join(', ')}
  FROM agents_approval_deciders d JOIN agents_approvals a ON a.id = d.approval_id
  WHERE d.member_id = $1 ${withStatus ? 'AND a.status = $4' : ''} ORDER BY d.created_at DESC, d.approval_id DESC LIMIT $2 OFFSET $3`;

/** A claim: of several who decide at once, one gets the row. */
export const settleApproval = `UPDATE agents_approvals SET status = $1, reason = $2, decided_by = $3, decided_by_name = $4, decided_at = $5
  WHERE id = $6 AND status = 'pending' AND expires_at > $5 ${returning}`;

/** A lease in the database's time; RETURNING tells which of them are still open. */
export const holdApprovals = (now: string, ids: string) =>
  `UPDATE agents_approvals SET lease_until = ${now} + 15000 WHERE status = 'pending' AND id IN (${ids}) RETURNING id`;

/** The condition under which nobody waits for an approval any more. `$2` is the only owner that can wait, if there is one. */
const isAbandoned = (now: string, alone: string | undefined) => (alone === undefined ? `lease_until < ${now}` : 'owner <> $2');

/** Leases are judged by the database's time. */
export const overApprovals = (now: string, alone: string | undefined) =>
  `SELECT id, expires_at FROM agents_approvals WHERE status = 'pending' AND (expires_at <= $1 OR ${isAbandoned(now, alone)}) LIMIT 500`;

/** A claim: what is held again, decided or ended meanwhile is not given. */
export const settleOverApprovals = (now: string, alone: string | undefined, ids: string) => `UPDATE agents_approvals
  SET status = CASE WHEN expires_at <= $1 THEN 'expired' ELSE 'cancelled' END, decided_by = NULL, decided_by_name = NULL, decided_at = $1
  WHERE status = 'pending' AND (expires_at <= $1 OR ${isAbandoned(now, alone)}) AND id IN (${ids}) ${returning}`;
