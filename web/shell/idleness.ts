import { useEffect } from 'react';
import type { PresenceStatus } from '../../kernel/contract/socket.js';
import { connection } from '../kit/data/connection.js';
import { sendFrame } from '../kit/data/frames.js';
import { useKept } from '../kit/data/kept.js';

const presence_key = 'shell.presence';
const away_after_ms = 5 * 60_000;

/** Returns the presence that the member has chosen, and the function that changes it. */
export function useChosenPresence(): ['online' | 'dnd', (next: 'online' | 'dnd') => void] {
  return useKept<'online' | 'dnd'>(presence_key, 'online', { persisted: true });
}

/** Tells the server what the member has chosen, and that it is away when nobody has looked at the page for some minutes. */
export function useIdleness(): void {
  const [chosen] = useChosenPresence();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let said: PresenceStatus = 'online';
    const say = (status: PresenceStatus) => {
      if (status === said) return;
      said = status;
      sendFrame('presence', { status }).catch(() => undefined);
    };
    const look = () => {
      clearTimeout(timer);
      if (!document.hidden) return say(chosen);
      timer = setTimeout(() => say(chosen === 'dnd' ? 'dnd' : 'away'), away_after_ms);
    };
    // A new connection begins as online.
    const { live } = connection();
    const stop = live.listen(({ type }) => {
      if (type !== 'hello') return;
      said = 'online';
      look();
    });
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [chosen]);
}
