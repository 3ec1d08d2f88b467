import { setTimeout as sleep } from 'node:timers/promises';
import { type DependencyList, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Failure } from '../../kernel/contract/failure.js';
import type { StreamEvent } from '../../kernel/contract/operation.js';
import { failureOf } from './reader.js';

export interface Streaming {
  /** `waiting`: the connection was lost, and is tried again. */
  state: 'open' | 'waiting' | 'ended';
  /** Why it waits or has ended. */
  error?: Failure | undefined;
}

/** Gives the events after a cursor, or undefined where there is nothing to read. */
export type OpenStream = (signal: AbortSignal, cursor: string | undefined) => AsyncIterable<StreamEvent> | undefined;

const first_wait_ms = 500;
const max_wait_ms = 5_000;

/**
 * Reads a stream for as long as it is drawn: after a drop it goes on from the last event's id, with growing pauses. `deps` that
 * change begin another one, from its beginning.
 */
export function useStream(open: OpenStream, deps: DependencyList, onEvent: (event: StreamEvent) => void): Streaming {
  const [state, setState] = useState<Streaming>({ state: 'waiting' });
  const latest = useRef({ open, onEvent });
  useLayoutEffect(() => {
    latest.current = { open, onEvent };
  });
  useEffect(() => {
    const abort = new AbortController();
    const tell = (streaming: Streaming) => (abort.signal.aborted ? undefined : setState(streaming));
    void follow({
      open: (signal, cursor) => latest.current.open(signal, cursor),
      take: (event) => latest.current.onEvent(event),
      tell,
      signal: abort.signal,
    });
    return () => abort.abort();
  }, [...deps]);
  return state;
}

interface Following {
  open: OpenStream;
  take: (event: StreamEvent) => void;
  tell: (streaming: Streaming) => void;
  signal: AbortSignal;
}

async function follow({ open, take, tell, signal }: Following): Promise<void> {
  let cursor: string | undefined;
  for (let failed = 0; !signal.aborted; failed += 1) {
    try {
      const events = open(signal, cursor);
      tell({ state: events ? 'open' : 'ended' });
      for await (const event of events ?? []) {
        if (signal.aborted) return;
        cursor = event.id ?? cursor;
        failed = 0;
        take(event);
      }
      return tell({ state: 'ended' });
    } catch (thrown) {
      const error = failureOf(thrown);
      if (!comesBack(error)) return tell({ state: 'ended', error });
      tell({ state: 'waiting', error });
    }
    await sleep(Math.min(first_wait_ms * 2 ** failed, max_wait_ms), undefined, { signal }).catch(() => undefined);
  }
}

/** Whether another try may find what this one hasn't. */
function comesBack({ code }: Failure): boolean {
  return ['unreachable', 'shutting_down', 'extension_unavailable', 'bus_unavailable', 'database_busy'].includes(code);
}
