import { type DependencyList, useEffect, useRef, useState } from 'react';
import type { StreamEvent } from '../../kernel/contract/operation.js';
import type { LogLine } from './log-line.js';
import { type PendingApproval, Reply } from './reply.js';
import { type OpenStream, type Streaming, useStream } from './use-stream.js';

export interface LiveReply {
  lines: readonly LogLine[];
  /** Tool calls that wait for approval. */
  pending: readonly PendingApproval[];
  /** How it ended; undefined while it is being written. */
  end: string | undefined;
  stream: Streaming;
}

const nothing = { lines: [], pending: [], end: undefined } as const;
/** Minimum time between two drawings: a reply may have hundreds of events a second. */
const draw_ms = 100;

/** Follows a reply by the stream of its task or message. Starts over when `deps` change. */
export function useReply(open: OpenStream, deps: DependencyList): LiveReply {
  const [shown, setShown] = useState<Omit<LiveReply, 'stream'>>(nothing);
  const reply = useRef(new Reply());
  const timer = useRef<NodeJS.Timeout>(undefined);
  useEffect(() => {
    reply.current = new Reply();
    setShown(nothing);
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [...deps]);
  const draw = () => {
    timer.current = undefined;
    const { pending, end } = reply.current;
    setShown({ lines: reply.current.lines(), pending, end });
  };
  const stream = useStream(open, deps, (event: StreamEvent) => {
    reply.current.take(event);
    timer.current ??= setTimeout(draw, draw_ms);
  });
  return { ...shown, stream };
}
