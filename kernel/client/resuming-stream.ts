import { Failure, isFailure } from '../contract/failure.js';
import type { StreamEvent } from '../contract/operation.js';
import { failClient, type Server } from './client-failure.js';
import { type Frame, frames } from './sse.js';

/** State of a connection that is opened again when it breaks: `offline` after an attempt that failed. */
export type LineWord = 'connecting' | 'live' | 'offline';

/** One connection of a stream. */
export interface StreamConnection {
  chunks: AsyncIterable<Uint8Array>;
  close: () => void;
}

export interface ResumingStream {
  server: Server;
  /** Opens a connection that continues after a cursor. */
  open(cursor: string | undefined): Promise<StreamConnection>;
  /** Whether it may be opened again after its cursor. Only for GET: anything else would run twice. */
  resumable: boolean;
  /** Whether a stream that ends because its token has expired is opened again too. */
  outlives_token?: boolean;
  /** Limit of retries in a row. */
  attempts: number;
  /** Waits before a retry; ends early if the signal aborts. */
  wait(failed: number): Promise<unknown>;
  /** Ends the stream. */
  signal: AbortSignal | undefined;
  line?: ((state: LineWord) => void) | undefined;
}

/** Position in a stream. */
interface Position {
  opened: boolean;
  cursor: string | undefined;
}

/** Yields the events of a stream, which resumes after a break. Ends when the server ends the stream. */
export async function* resumingStream(stream: ResumingStream): AsyncGenerator<StreamEvent> {
  const { signal, attempts, line } = stream;
  const position: Position = { opened: false, cursor: undefined };
  for (let failed = 0; signal?.aborted !== true; failed += 1) {
    try {
      if (failed === 0) line?.('connecting');
      for await (const event of connection(stream, position)) {
        failed = 0;
        yield event;
      }
      return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!stream.resumable || !position.opened || !isTemporary(error) || failed >= attempts) throw error;
      if (failed > 0) line?.('offline');
      await stream.wait(failed);
    }
  }
}

/** Yields the events of one connection. */
async function* connection(stream: ResumingStream, position: Position): AsyncGenerator<StreamEvent> {
  const { server } = stream;
  const { chunks, close } = await stream.open(position.cursor);
  let received: 'nothing' | 'something' | 'final retry' = 'nothing';
  position.opened = true;
  stream.line?.('live');
  try {
    for await (const frame of frames(chunks)) {
      if (frame.id !== undefined) position.cursor = frame.id;
      if (frame.data !== undefined) yield eventOf(frame, stream);
      // Each stream starts with a `retry`; a final one is sent by a server that is stopping.
      received = frame.data === undefined && received !== 'nothing' ? 'final retry' : 'something';
    }
    if (received === 'final retry') throw failClient('unreachable', `${server.name} can't be reached: it is stopping`);
  } catch (error) {
    throw isFailure(error) ? error : server.lost(error);
  } finally {
    close();
  }
}

function isTemporary(error: unknown): boolean {
  return isFailure(error) && ['unreachable', 'shutting_down', 'extension_unavailable'].includes(error.code);
}

function eventOf({ id, data: text = '{}', event }: Frame, { server, resumable, outlives_token }: ResumingStream): StreamEvent {
  const { type = event ?? 'message', ...data } = JSON.parse(text) as { type?: string } & Record<string, unknown>;
  if (type === 'error' && typeof data.code === 'string' && 'request_id' in data) throw faultOf(data);
  if (type === 'revoked' && data.reason === 'expired' && resumable && outlives_token)
    throw failClient('unreachable', `${server.name} has ended the stream: the token has expired`);
  return { ...(id === undefined ? {} : { id }), type, data };
}

/** Builds the failure from an error event: a stream can't report it otherwise after its headers. */
function faultOf({ code, message, request_id }: Record<string, unknown>): Failure {
  return new Failure(String(code), String(message), { status: 500, cause: { request_id } });
}
