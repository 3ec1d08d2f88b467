/** Reads the default AI employee. Benchmark row `streams`: runs in every run whose sender names no employee. */
export const defaultEmployee = 'SELECT member_id FROM agents_default';

/** Claims the first start on this database. Other instances wait on the row's key until this one commits. */
export const beginFirstStart = 'INSERT INTO agents_default (id, member_id) VALUES (1, NULL) ON CONFLICT DO NOTHING';

/** Reads an AI employee's settings. Benchmark row `streams`: runs in every run. */
export const settingsOf = 'SELECT member_id, settings, updated_at FROM agents_settings WHERE member_id = $1';

/** Reads the daily token limit. Benchmark row `streams`: runs before each model request. */
export const dayLimitOf = 'SELECT tokens_per_day FROM agents_settings WHERE member_id = $1';

/** Reads the learnt habits of an endpoint. Benchmark row `streams`: runs before each model request. */
export const habitsOf = 'SELECT feature, message FROM agents_model_habits WHERE endpoint = $1 AND expires_at > $2';

/** Reads a conversation's summary. Benchmark row `streams`: runs in every run. */
export const summaryOf = 'SELECT message_id, text FROM agents_summaries WHERE session_id = $1';

/**
 * Adds usage by reply. Benchmark row `streams`: runs after each model answer. RETURNING distinguishes new replies from
 * ones already counted.
 */
export const addReplies = (rows: string) => `INSERT INTO agents_usage
    (message_id, model, day, member_id, at, input_tokens, output_tokens, calls, estimated, requested_by, room_id) VALUES ${rows}
  ON CONFLICT (message_id, model, day) DO UPDATE SET
    at = excluded.at,
    input_tokens = agents_usage.input_tokens + excluded.input_tokens,
    output_tokens = agents_usage.output_tokens + excluded.output_tokens,
    calls = agents_usage.calls + excluded.calls,
    estimated = agents_usage.estimated OR excluded.estimated
  RETURNING message_id, model, day, calls`;

/** Adds usage by day. Benchmark row `streams`, with {@link addReplies}. RETURNING shows which members have a limit. */
export const addDays = (rows: string) => `INSERT INTO agents_days
    (member_id, day, model, input_tokens, output_tokens, calls, replies) VALUES ${rows}
  ON CONFLICT (member_id, day, model) DO UPDATE SET
    input_tokens = agents_days.input_tokens + excluded.input_tokens,
    output_tokens = agents_days.output_tokens + excluded.output_tokens,
    calls = agents_days.calls + excluded.calls,
    replies = agents_days.replies + excluded.replies
  RETURNING member_id, (SELECT s.tokens_per_day FROM agents_settings s WHERE s.member_id = agents_days.member_id) AS tokens_per_day`;

/** Claims the announcement of a threshold, so that one instance announces it even if several reach it at once. */
export const markAlert = 'INSERT INTO agents_alerts (member_id, day, percent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';

const columns = [
  ...['id', 'session_id', 'task_id', 'message_id', 'tool_call_id', 'member_id', 'requested_by', 'name', 'input', 'effect', 'status'],
  ...['reason', 'decided_by', 'decided_by_name', 'created_at', 'expires_at', 'decided_at', 'room_title'],
];
const returning = `RETURNING ${columns.join(', ')}`;

/** Lists the approvals a member may decide, newest first: a page of one table in the order of another's index. Models would read all rows to sort them. */
export const decidable = (withStatus: boolean) => `SELECT ${columns.map((name) => `a.${name}`).join(', ')}
  FROM agents_approval_deciders d JOIN agents_approvals a ON a.id = d.approval_id
  WHERE d.member_id = $1 ${withStatus ? 'AND a.status = $4' : ''} ORDER BY d.created_at DESC, d.approval_id DESC LIMIT $2 OFFSET $3`;

/** Claims the decision: if several people decide at once, one of them gets the row. */
export const settleApproval = `UPDATE agents_approvals SET status = $1, reason = $2, decided_by = $3, decided_by_name = $4, decided_at = $5
  WHERE id = $6 AND status = 'pending' AND expires_at > $5 ${returning}`;

/** Renews leases in the database's time. RETURNING lists the approvals that are still open. */
export const renewApprovalLeases = (now: string, ids: string) =>
  `UPDATE agents_approvals SET lease_until = ${now} + 15000 WHERE status = 'pending' AND id IN (${ids}) RETURNING id`;

/** Condition for an approval whose run no longer waits. `$2` is the only owner that can still wait, if there is one. */
const isOrphaned = (now: string, soleOwner: string | undefined) => (soleOwner === undefined ? `lease_until < ${now}` : 'owner <> $2');

/** Finds expired and orphaned approvals. Leases are compared with the database's time. */
export const findOverdueApprovals = (now: string, soleOwner: string | undefined) =>
  `SELECT id, expires_at FROM agents_approvals WHERE status = 'pending' AND (expires_at <= $1 OR ${isOrphaned(now, soleOwner)}) LIMIT 500`;

/** Claims expired and orphaned approvals. An approval that was renewed, decided or ended meanwhile is not returned. */
export const settleOverdueApprovals = (now: string, soleOwner: string | undefined, ids: string) => `UPDATE agents_approvals
  SET status = CASE WHEN expires_at <= $1 THEN 'expired' ELSE 'cancelled' END, decided_by = NULL, decided_by_name = NULL, decided_at = $1
  WHERE status = 'pending' AND (expires_at <= $1 OR ${isOrphaned(now, soleOwner)}) AND id IN (${ids}) ${returning}`;
