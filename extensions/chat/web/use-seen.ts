import { useCallback, useEffect, useRef } from 'react';
import type { Session } from '../contract.js';
import { api, sessions_input } from './api.js';

/** Returns a function that marks the conversation as read, if the tab is in sight; call it with the latest message when that is. */
export function useSeen(session_id: string): (message_id: string) => void {
  const marked = useRef<string>(undefined);
  const latest = useRef<string>(undefined);
  const mark = useCallback(() => {
    if (document.hidden || latest.current === undefined || marked.current === latest.current) return;
    const list = api.cached('sessions.list', sessions_input);
    const listed = list.get()?.find(({ id }) => id === session_id);
    const isRead = listed !== undefined && listed.unread_count + listed.mention_count === 0;
    const isFirst = marked.current === undefined;
    marked.current = latest.current;
    // The stream of the conversation marks what arrives while it is open.
    if (isRead && !isFirst) return;
    api.call('unread.mark_read', { session_id }).catch(() => {
      marked.current = undefined;
    });
    if (!isRead)
      list.set((all) => all.map((one: Session) => (one.id === session_id ? { ...one, unread_count: 0, mention_count: 0 } : one)));
  }, [session_id]);
  useEffect(() => {
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [mark]);
  return useCallback(
    (message_id: string) => {
      latest.current = message_id;
      mark();
    },
    [mark],
  );
}
