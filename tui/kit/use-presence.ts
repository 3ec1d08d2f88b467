import { useEffect, useState } from 'react';
import type { Presence } from '../../kernel/contract/socket.js';
import { useDashboard } from './context.js';

/** Returns presence by member id; a missing member is offline or unknown. */
export function usePresence(): ReadonlyMap<number, Presence> {
  const { live } = useDashboard();
  const [, setDraws] = useState(0);
  useEffect(() => {
    let waiting: NodeJS.Timeout | undefined;
    const draw = () => {
      waiting = undefined;
      setDraws((draws) => draws + 1);
    };
    const unlisten = live.listen(({ type }) => {
      if (type === 'presence' || type === 'hello') waiting ??= setTimeout(draw, 250);
    });
    return () => {
      unlisten();
      clearTimeout(waiting);
    };
  }, [live]);
  return live.presence;
}
