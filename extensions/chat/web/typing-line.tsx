import { useFormat, useFrames, useMe, useTexts } from '@platform/kit';
import { useEffect, useState } from 'react';
import type { Task } from '../contract.js';
import { MemberNames } from './member-names.js';
import { texts } from './texts.js';

/** The server repeats that a member types; without it the member has stopped. */
const ends_ms = 11_000;
const max_named = 3;

interface TypingLineProps {
  session_id: string;
  /** Running and waiting tasks. AI employees that work on them aren't named as well. */
  tasks: readonly Task[];
  me: number;
  isInterrupted: boolean;
}

/** Shows who types, what waits, and that the connection is interrupted: always in the same place, so that nothing moves. */
export function TypingLine({ session_id, tasks, me, isInterrupted }: TypingLineProps) {
  const text = useTexts(texts);
  const format = useFormat();
  const typists = useTypists(session_id).filter((id) => !tasks.some(({ member_id }) => member_id === id));
  const queued = tasks.filter(({ status, requested_by }) => status === 'queued' && requested_by === me);
  return (
    <div className="chat-typing" aria-live="off">
      {typists.length > 0 && (
        <MemberNames ids={typists.slice(0, max_named)}>{(names) => text.typing(format.list(names), typists.length)}</MemberNames>
      )}
      {typists.length === 0 && queued.length > 0 && text.reply.queued(queued.length)}
      {isInterrupted && <span className="chat-interrupted">{text.conversation.interrupted}</span>}
    </div>
  );
}

function useTypists(session_id: string): readonly number[] {
  const me = useMe().id;
  const [typists, setTypists] = useState<readonly { id: number; at: number }[]>([]);
  useFrames(['typing', 'message.created'], ({ type, data }) => {
    if (type === 'message.created') {
      const { message } = data as { message: { session_id: string; sender_id: number } };
      if (message.session_id === session_id) setTypists((all) => all.filter(({ id }) => id !== message.sender_id));
      return;
    }
    const { session_id: about, member_id, state } = data as { session_id: string; member_id: number; state: 'start' | 'stop' };
    if (about !== session_id || member_id === me) return;
    setTypists((all) => [...all.filter(({ id }) => id !== member_id), ...(state === 'start' ? [{ id: member_id, at: Date.now() }] : [])]);
  });
  useEffect(() => {
    if (typists.length === 0) return undefined;
    const timer = setTimeout(() => setTypists((all) => all.filter(({ at }) => Date.now() - at < ends_ms)), ends_ms);
    return () => clearTimeout(timer);
  }, [typists]);
  return typists.map(({ id }) => id);
}
