import { type DependencyList, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useDashboard } from './context.js';
import { isAmong } from './live.js';
import { type Read, Reader } from './reader.js';

export interface CallTimes {
  /** Polling interval. Default: no polling. */
  every_ms?: number | undefined;
  /** Types of frames that trigger a read, at most once a second; `node.*` matches all types with that prefix. */
  on?: readonly string[] | undefined;
}

export type Called<T> = Read<T> & {
  /** Reads again now. */
  again: () => void;
};

/**
 * Reads the response of a call, and again by interval or event, after a reconnect, and when `deps` change (then without the old
 * value). Reads never overlap; the last value stays during a read. Stops with the component.
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
    const current = new Reader<T>({ read: (signal) => latest.current.read(signal), onState: setState, reading, every_ms });
    reader.current = current;
    setState({ loading: true });
    current.again();
    const unlisten = live.listen(({ type }) => {
      if (type === 'resync' || isAmong(type, latest.current.on)) current.changed();
    });
    let wasOpen = live.state.state === 'open';
    const unwatch = live.watch(() => {
      const isOpen = live.state.state === 'open';
      if (isOpen && !wasOpen) current.again();
      wasOpen = isOpen;
    });
    return () => {
      unlisten();
      unwatch();
      current.stop();
    };
  }, [live, reading, every_ms, ...deps]);
  const again = useCallback(() => reader.current?.again(), []);
  return { ...state, again };
}
