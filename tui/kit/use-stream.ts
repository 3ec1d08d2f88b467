import { setTimeout as sleep } from 'node:timers/promises';
import { type DependencyList, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Failure } from '../../kernel/contract/failure.js';
import type { StreamEvent } from '../../kernel/contract/operation.js';
import { failureOf } from './reader.js';

export interface Streaming {
  /** `waiting`: the connection was lost and is being retried. */
  state: 'open' | 'waiting' | 'ended';
  /** Why it is waiting or has ended. */
  error?: Failure | undefined;
}

/** Opens the stream after a cursor; returns undefined if there is nothing to read. */
export type OpenStream = (signal: AbortSignal, cursor: string | undefined) => AsyncIterable<StreamEvent> | undefined;

const first_wait_ms = 500;
const max_wait_ms = 5_000;

/**
 * Reads a stream while the component is drawn. After a lost connection it backs off and resumes after the last event's id. Starts
 * over when `deps` change.
 */
export function useStream(open: OpenStream, deps: DependencyList, onEvent: (event: StreamEvent) => void): Streaming {
  const [state, setState] = useState<Streaming>({ state: 'waiting' });
  const latest = useRef({ open, onEvent });
  useLayoutEffect(() => {
    latest.current = { open, onEvent };
  });
  useEffect(() => {
    const abort = new AbortController();
    const setStreaming = (streaming: Streaming) => (abort.signal.aborted ? undefined : setState(streaming));
    void follow({
      open: (signal, cursor) => latest.current.open(signal, cursor),
      take: (event) => latest.current.onEvent(event),
      setStreaming,
      signal: abort.signal,
    });
    return () => abort.abort();
  }, [...deps]);
  return state;
}

interface Following {
  open: OpenStream;
  take: (event: StreamEvent) => void;
  setStreaming: (streaming: Streaming) => void;
  signal: AbortSignal;
}

async function follow({ open, take, setStreaming, signal }: Following): Promise<void> {
  let cursor: string | undefined;
  for (let failed = 0; !signal.aborted; failed += 1) {
    try {
      const events = open(signal, cursor);
      setStreaming({ state: events ? 'open' : 'ended' });
      for await (const event of events ?? []) {
        if (signal.aborted) return;
        cursor = event.id ?? cursor;
        failed = 0;
        take(event);
      }
      return setStreaming({ state: 'ended' });
    } catch (thrown) {
      const error = failureOf(thrown);
      if (!isRetryable(error)) return setStreaming({ state: 'ended', error });
      setStreaming({ state: 'waiting', error });
    }
    await sleep(Math.min(first_wait_ms * 2 ** failed, max_wait_ms), undefined, { signal }).catch(() => undefined);
  }
}

/** Returns whether a retry may succeed. */
function isRetryable({ code }: Failure): boolean {
  return ['unreachable', 'shutting_down', 'extension_unavailable', 'bus_unavailable', 'database_busy'].includes(code);
}
