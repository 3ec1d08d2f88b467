import { type DependencyList, useEffect, useRef, useState } from 'react';
import type { StreamEvent } from '../../kernel/contract/operation.js';
import { type PendingApproval, Reply } from './reply.js';
import { type OpenStream, type Streaming, useStream } from './use-stream.js';

export interface LiveReply {
  lines: readonly string[];
  /** What waits for a person's word. */
  pending: readonly PendingApproval[];
  /** How it ended; undefined while it is written. */
  end: string | undefined;
  stream: Streaming;
}

const nothing = { lines: [], pending: [], end: undefined } as const;
/** A reply may bring hundreds of pieces a second; eyes need no more than this. */
const draw_ms = 100;

/** A reply while it is written, from the stream of its task or message. `deps` that change begin another one. */
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
