import { useEffect, useState } from 'react';
import type { Presence } from '../../kernel/contract/socket.js';
import { useDashboard } from './context.js';

/** Who is there now, by member id; who is missing is not there, or nobody tells. */
export function usePresence(): ReadonlyMap<number, Presence> {
  const { live } = useDashboard();
  const [, setTold] = useState(0);
  useEffect(() => {
    let waiting: NodeJS.Timeout | undefined;
    const draw = () => {
      waiting = undefined;
      setTold((told) => told + 1);
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
