/**
 * Orders the conversations of one pair: the one with the latest message first, empty ones last, the newest of them first. `p` is a
 * participant, `s` its session.
 */
export const latestMessageFirst = 'CASE WHEN s.last_message_at IS NULL THEN 1 ELSE 0 END, p.activity_at DESC, p.session_id DESC';
