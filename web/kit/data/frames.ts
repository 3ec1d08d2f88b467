import { useEffect, useMemo, useRef } from 'react';
import type { SocketFrame } from '../../../kernel/client/socket-frame.js';
import type { PresenceStatus } from '../../../kernel/contract/socket.js';
import { connection } from './connection.js';
import type { LiveState } from './live-hub.js';
import { isOneOf } from './read-again.js';
import { useValue } from './value.js';

export type { SocketFrame } from '../../../kernel/client/socket-frame.js';
export type { LiveState } from './live-hub.js';

/** Calls the handler with each frame of these types (`node.*` for all that begin so) while the component is shown; always the newest handler. */
export function useFrames(types: readonly string[], handler: (frame: SocketFrame) => void): void {
  const { live } = connection();
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  const list = types.join(' ');
  useEffect(() => {
    const all = list.split(' ');
    const ends = [live.listen((frame) => isOneOf(frame.type, all) && latest.current(frame)), ...live.wantTopicsOf(all)];
    return () => {
      for (const end of ends) end();
    };
  }, [live, list]);
}

/** Calls the handler when frames may have been missed, so that everything that is shown must be read again. `useRead` does so by itself. */
export function useResync(handler: () => void): void {
  const { live } = connection();
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => live.onAgain(() => latest.current()), [live]);
}

/** Returns the state of the live connection. */
export function useLive(): LiveState {
  return useValue(connection().live.state);
}

/** Sends a frame to the server: `sendFrame('read', { session_id })`. Rejects with its failure. */
export function sendFrame(type: string, data: object): Promise<void> {
  return connection().live.send(type, data);
}

/** Returns a member's presence; an unknown member is offline. */
export function usePresence(member_id: number | undefined): PresenceStatus {
  const all = useValue(connection().live.presence);
  return (member_id === undefined ? undefined : all.get(member_id)) ?? 'offline';
}

/** Repeats the frame before the server's own limit of 10 s. */
const typing_every_ms = 6_000;
const typing_ends_ms = 5_000;

/**
 * Returns functions that tell the others of a conversation that the member types: `typed()` on each change of the text, `stopped()` after it was
 * sent or emptied.
 */
export function useTyping(session_id: string | undefined): { typed: () => void; stopped: () => void } {
  const sent = useRef<Typing>({ session_id, at: 0, timer: undefined });
  const functions = useMemo(() => {
    const say = (state: 'start' | 'stop') => {
      const { session_id: to } = sent.current;
      if (to !== undefined) sendFrame('typing', { session_id: to, state }).catch(() => undefined);
    };
    const stopped = () => {
      clearTimeout(sent.current.timer);
      if (sent.current.at === 0) return;
      sent.current.at = 0;
      say('stop');
    };
    const typed = () => {
      clearTimeout(sent.current.timer);
      sent.current.timer = setTimeout(stopped, typing_ends_ms);
      if (Date.now() - sent.current.at < typing_every_ms) return;
      sent.current.at = Date.now();
      say('start');
    };
    return { typed, stopped };
  }, []);
  useEffect(() => {
    sent.current.session_id = session_id;
    return functions.stopped;
  }, [session_id, functions]);
  return functions;
}

interface Typing {
  session_id: string | undefined;
  /** When the last `start` was sent; 0 after a `stop`. */
  at: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}
