import { type DependencyList, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useDashboard } from './context.js';
import { isAmong } from './live.js';
import { type Read, Reader } from './reader.js';

export interface CallTimes {
  /** The pause after which it is read again. Default: it isn't, but for what `on` says. */
  every_ms?: number | undefined;
  /** Types of frames after which it is read again, at most once a second; `node.*` stands for all that begin so. */
  on?: readonly string[] | undefined;
}

export type Called<T> = Read<T> & {
  /** Reads it again, now. */
  again: () => void;
};

/**
 * The answer of a call, read again as asked, after a lost connection, and when `deps` change (then without the old value).
 * Never two at once; the last value stays while it is read again. Ends with the component.
 */
export function useCall<T>(read: (signal: AbortSignal) => Promise<T>, deps: DependencyList, times: CallTimes = {}): Called<T> {
  const { live, reading } = useDashboard();
  const { every_ms, on = [] } = times;
  const [state, setState] = useState<Read<T>>({ loading: true });
  const latest = useRef({ read, on });
  const reader = useRef<Reader<T>>(undefined);
  useLayoutEffect(() => {
    latest.current = { read, on };
  });
  useEffect(() => {
    const own = new Reader<T>({ read: (signal) => latest.current.read(signal), tell: setState, reading, every_ms });
    reader.current = own;
    setState({ loading: true });
    own.again();
    const unlisten = live.listen(({ type }) => {
      if (type === 'resync' || isAmong(type, latest.current.on)) own.changed();
    });
    let wasOpen = live.state.state === 'open';
    const unwatch = live.watch(() => {
      const isOpen = live.state.state === 'open';
      if (isOpen && !wasOpen) own.again();
      wasOpen = isOpen;
    });
    return () => {
      unlisten();
      unwatch();
      own.stop();
    };
  }, [live, reading, every_ms, ...deps]);
  const again = useCallback(() => reader.current?.again(), []);
  return { ...state, again };
}
