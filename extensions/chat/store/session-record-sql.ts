import type { NotificationLevel, Session } from '../contract.js';
import type { ParticipantRow, SessionRow } from '../models.js';

const openTasks = "t.status IN ('queued', 'running', 'waiting_approval')";

const unreadInThreads = `COALESCE((SELECT SUM(m.reply_count - f.read_count) FROM chat_thread_followers f JOIN chat_messages m ON m.id = f.root_id
  WHERE f.session_id = p.session_id AND f.member_id = p.member_id), 0)`;

/**
 * Unread messages of participant `p` in session `s`. A room stores no count for each member, so that a message costs the same in all; those
 * in threads count for members who follow the thread.
 */
export const unreadCount = `CASE WHEN p.target_type = 'room' THEN s.message_count - p.read_count + ${unreadInThreads} ELSE p.unread_count END`;

/** Unread messages that mention participant `p`; 0 stands for a mention of everybody. */
const mentionCount = `CASE WHEN p.target_type = 'room' THEN (SELECT count(DISTINCT n.message_id) FROM chat_mentions n WHERE n.session_id = p.session_id
  AND n.member_id IN (0, p.member_id) AND n.created_at > p.read_at AND n.sender_id <> p.member_id) ELSE 0 END`;

const taskIds = `(SELECT string_agg(t.id, ',' ORDER BY t.created_at, t.id) FROM chat_tasks t WHERE t.session_id = s.id AND ${openTasks})`;

/**
 * Level of notifications, end of muting and ids of open tasks, separated by spaces; null in the usual case. Each column of a row costs as
 * much as the rest of its work (benchmark row `requests`).
 */
const unusual = `CASE WHEN s.active_task_id IS NULL AND p.muted_until IS NULL AND p.level = 'mentions' THEN NULL
  ELSE p.level || ' ' || COALESCE(p.muted_until, '') || ' ' || CASE WHEN s.active_task_id IS NULL THEN '' ELSE COALESCE(${taskIds}, '') END END`;

const common = `s.id, s.title, p.target_type, p.target_id, s.created_by, s.created_at, s.updated_at, s.last_message_at, s.last_message_preview,
  s.active_task_id, s.member_count, ${unusual} AS notifications`;

/** Columns of a session as participant `p` sees it, `s` being the session. Read for each access. */
export const sessionColumns = `${common}, ${unreadCount} AS unread_count, s.visibility, s.topic, ${mentionCount} AS mention_count, p.role`;

/** The same of a session that is no room: the other columns have one value in all of them. Benchmark row `requests`. */
export const pairColumns = `${common}, p.unread_count`;

type FromSession = Omit<SessionRow, 'target_type' | 'last_ms' | 'members_version' | 'message_count' | 'room_no' | 'search' | 'emptied_at'>;
type FromParticipant = Pick<ParticipantRow, 'target_type' | 'target_id' | 'unread_count' | 'role'>;

export interface SessionRecordRow extends FromSession, FromParticipant {
  mention_count: number;
  /** Text of {@link unusual}. */
  notifications: string | null;
}

export type PairRecordRow = Omit<SessionRecordRow, 'visibility' | 'topic' | 'mention_count' | 'role'>;

export function toSession(row: SessionRecordRow): Session {
  const unread_count = Math.max(0, Number(row.unread_count));
  return Object.assign(row, { unread_count, mention_count: Number(row.mention_count) }, unusualOf(row));
}

/** Returns a session that is no room. Changes the row instead of copying it, because reading each field of each row takes longest. */
export function pairToSession(row: PairRecordRow): Session {
  return Object.assign(row, { visibility: 'private', topic: '', mention_count: 0, role: 'member' } as const, unusualOf(row));
}

function unusualOf({ notifications: text }: PairRecordRow): Pick<Session, 'notifications' | 'active_task_ids'> {
  if (text === null) return { notifications: { level: 'mentions', muted_until: null }, active_task_ids: [] };
  const [level = '', muted_until = '', ids = ''] = text.split(' ');
  return {
    notifications: { level: level as NotificationLevel, muted_until: muted_until || null },
    active_task_ids: ids === '' ? [] : ids.split(','),
  };
}
