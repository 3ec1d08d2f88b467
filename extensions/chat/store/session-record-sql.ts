import type { Session } from '../contract.js';
import type { ParticipantRow, SessionRow } from '../models.js';

const openTasks = "t.status IN ('queued', 'running', 'waiting_approval')";

const unreadInThreads = `COALESCE((SELECT SUM(m.reply_count - f.read_count) FROM chat_thread_followers f JOIN chat_messages m ON m.id = f.root_id
  WHERE f.session_id = p.session_id AND f.member_id = p.member_id), 0)`;

/**
 * Unread messages of participant `p` in session `s`. A room stores no count for each member, so that a message costs the same in all; those
 * in threads count for members who follow the thread.
 */
export const unreadCount = `CASE WHEN p.target_type = 'room' THEN s.message_count - p.read_count + ${unreadInThreads} ELSE p.unread_count END`;

/** Unread mentions of participant `p`; 0 stands for a mention of everybody. */
const mentionCount = `CASE WHEN p.target_type = 'room' THEN (SELECT count(*) FROM chat_mentions n WHERE n.session_id = p.session_id
  AND n.member_id IN (0, p.member_id) AND n.created_at > p.read_at AND n.sender_id <> p.member_id) ELSE 0 END`;

const activeTaskIds = `CASE WHEN s.active_task_id IS NULL THEN '' ELSE (SELECT string_agg(t.id, ',' ORDER BY t.created_at, t.id)
  FROM chat_tasks t WHERE t.session_id = s.id AND ${openTasks}) END`;

/** Columns of a session as participant `p` sees it, `s` being the session. Read on each page of the list, and for each access. */
export const sessionColumns = `s.id, s.title, p.target_type, p.target_id, s.created_by, s.created_at, s.updated_at,
  s.last_message_at, s.last_message_preview, ${unreadCount} AS unread_count, s.active_task_id, ${activeTaskIds} AS active_task_ids,
  s.visibility, s.topic, s.member_count, ${mentionCount} AS mention_count, p.role, p.level, p.muted_until`;

type FromSession = Omit<SessionRow, 'target_type' | 'last_ms' | 'members_version' | 'message_count' | 'room_no' | 'emptied_at'>;
type FromParticipant = Pick<ParticipantRow, 'target_type' | 'target_id' | 'unread_count' | 'role' | 'level' | 'muted_until'>;

export interface SessionRecordRow extends FromSession, FromParticipant {
  /** Ids, separated by commas; null if there are none. */
  active_task_ids: string | null;
  mention_count: number;
}

export function toSession({ active_task_ids, level, muted_until, ...row }: SessionRecordRow): Session {
  const ids = active_task_ids ? active_task_ids.split(',') : [];
  return { ...row, unread_count: Math.max(0, Number(row.unread_count)), active_task_ids: ids, notifications: { level, muted_until } };
}
