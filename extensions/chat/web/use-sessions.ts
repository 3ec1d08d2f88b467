import { useFrames, useMe } from '@platform/kit';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Message, Session, Task } from '../contract.js';
import { api, sessions_input } from './api.js';

export interface Sessions {
  list: readonly Session[] | undefined;
  error: unknown;
  again: () => void;
  /** Lists earlier conversations; undefined if all are listed. */
  more: (() => void) | undefined;
  isReadingMore: boolean;
}

interface FrameData {
  session_id?: string;
  message?: Message;
  message_id?: string;
  task?: Task;
  count?: number;
}

const frames = ['message.created', 'message.updated', 'message.deleted', 'unread', 'session.left', 'task.updated'] as const;
const max_preview = 100;
/** Wait before the list is read again for conversations that it doesn't have. */
const again_ms = 400;

/**
 * Lists the member's conversations, and changes them as frames tell, so that a message costs no reading of the list. `open`: the conversation
 * that is being read, whose messages don't become unread.
 */
export function useSessions(open: string | undefined): Sessions {
  const me = useMe().id;
  const { data, error, again } = api.useRead('sessions.list', sessions_input, { on: ['session.updated'] });
  const [earlier, setEarlier] = useState<readonly Session[]>([]);
  const [isReadingMore, setReadingMore] = useState(false);
  const [isAll, setAll] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const later = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(again, again_ms);
  };
  useFrames(frames, (frame) => {
    const cached = api.cached('sessions.list', sessions_input);
    const listed = cached.get();
    if (!listed) return;
    const found = frame.data as FrameData;
    const id = found.session_id ?? found.message?.session_id ?? found.task?.session_id;
    if (!listed.some((session) => session.id === id)) {
      if (frame.type === 'message.created' || frame.type === 'unread') later();
      setEarlier((sessions) => sessions.map((one) => (one.id === id ? changed(one, frame.type, found, { me, open }) : one)));
      return;
    }
    if (frame.type === 'session.left') return cached.set((sessions) => sessions.filter((session) => session.id !== id));
    cached.set((sessions) => {
      const after = sessions.map((one) => (one.id === id ? changed(one, frame.type, found, { me, open }) : one));
      return frame.type === 'message.created' ? after.sort(byTime) : after;
    });
  });
  const more = useCallback(async () => {
    setReadingMore(true);
    try {
      const offset = (data?.length ?? 0) + earlier.length;
      const page = await api.call('sessions.list', { ...sessions_input, offset });
      setEarlier((sessions) => [...sessions, ...page]);
      setAll(page.length < sessions_input.limit);
    } finally {
      setReadingMore(false);
    }
  }, [data?.length, earlier.length]);
  const list = useMemo(() => {
    if (!data) return undefined;
    const ids = new Set(data.map(({ id }) => id));
    return [...data, ...earlier.filter(({ id }) => !ids.has(id))];
  }, [data, earlier]);
  const hasMore = data !== undefined && data.length >= sessions_input.limit && !isAll;
  return { list, error, again, more: hasMore ? () => void more().catch(() => undefined) : undefined, isReadingMore };
}

function byTime(one: Session, other: Session): number {
  return timeOf(one) < timeOf(other) ? 1 : -1;
}

function timeOf({ last_message_at, created_at }: Session): string {
  return last_message_at ?? created_at;
}

function changed(session: Session, type: string, data: FrameData, { me, open }: { me: number; open: string | undefined }): Session {
  if (type === 'unread') {
    const unread_count = data.count ?? 0;
    return { ...session, unread_count, mention_count: unread_count === 0 ? 0 : session.mention_count };
  }
  if (type === 'task.updated' && data.task) return withTask(session, data.task);
  const { message } = data;
  if (type !== 'message.created' || !message) return session;
  const arrived = {
    ...session,
    last_message_at: message.created_at,
    last_message_preview: message.content.replace(/\s+/g, ' ').slice(0, max_preview) || session.last_message_preview,
  };
  // The server tells the count of conversations of two.
  if (session.target_type !== 'room' || message.sender_id === me || message.thread_id !== null || (session.id === open && !document.hidden))
    return arrived;
  const isMentioned = message.mentions.some((mention) => mention.member_id === me || mention.room === true);
  return { ...arrived, unread_count: session.unread_count + 1, mention_count: session.mention_count + (isMentioned ? 1 : 0) };
}

function withTask(session: Session, { id, status }: Task): Session {
  const others = session.active_task_ids.filter((one) => one !== id);
  const active_task_ids = ['completed', 'failed', 'cancelled'].includes(status) ? others : [...others, id];
  return { ...session, active_task_ids, active_task_id: active_task_ids[0] ?? null };
}
