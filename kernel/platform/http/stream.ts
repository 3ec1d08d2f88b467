import type { Outcome } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Caller, StreamEvent, StreamEvents } from '../../contract/operation.js';
import { detachFromHapi } from './detach-from-hapi.js';
import { asFailure, sentenceOf } from './errors.js';
import { eventFrame, heartbeat, retryFrame, streamHeaders } from './frames.js';
import type { Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

/**
 * Writes a piece of a response as one chunk in one string, directly to the connection. The head must have been sent (`flushHeaders`). The
 * response itself would buffer the piece until the next tick since Node 26, and Node makes four writes and a list of them for each
 * chunk, which costs more than a small piece itself (benchmark `streams`). Returns whether there is room for more; otherwise the
 * connection emits `drain`, or the response if it has no connection yet.
 */
export function writeChunk(res: Outgoing, text: string): boolean {
  const { socket } = res;
  if (!socket || !res.chunkedEncoding) return res.write(text);
  const length = Buffer.byteLength(text);
  return socket.write(`${length.toString(16)}\r\n${text}\r\n`, length === text.length ? 'latin1' : 'utf8');
}

export interface StreamLimits {
  /** Time without an event after which a comment line is sent. */
  heartbeat_ms: number;
  /** Limit of the time that a client may not read. */
  stalled_ms: number;
  /** Limit of the time to read an ended stream to its end. */
  ending_ms: number;
  /** Buffer size at which events are flushed at once; the next event is requested only when the connection has room. */
  waiting_bytes: number;
}

export interface StreamOwner {
  readonly limits: StreamLimits;
  readonly responder: Responder;
  /** Schedules `flush` after the current synchronous work. */
  schedule(stream: EventStream): void;
  closed(stream: EventStream): void;
  now(): number;
  warn(message: string, fields: object): void;
}

export interface StreamRequest {
  res: Outgoing;
  caller: Caller;
  /** Extension of the operation. */
  extension: string;
}

type Phase = 'opening' | 'open' | 'ending' | 'closed';

/** Writes a stream of events to one client. It outlives the cell of its request. */
export class EventStream {
  readonly caller: Caller;
  readonly extension: string;
  readonly #res: Outgoing;
  readonly #owner: StreamOwner;
  readonly #abort = new AbortController();
  #phase: Phase = 'opening';
  #iterator: AsyncIterator<StreamEvent> | undefined;
  #waiting = '';
  /** Final frame, if the stream was ended before it started. */
  #farewell: string | undefined;
  #blocked = false;
  #resume: (() => void) | undefined;
  /** Time of the last write, or start of a wait for the reader. */
  #since: number;

  constructor(request: StreamRequest, owner: StreamOwner) {
    this.caller = request.caller;
    this.extension = request.extension;
    this.#res = request.res;
    this.#owner = owner;
    this.#since = owner.now();
    this.#res.once('close', this.#onClose);
  }

  /** Aborts when the stream ends for any reason. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Awaits the handler; if it fails, there is no stream. */
  async opening(outcome: Promise<Outcome>): Promise<Outcome> {
    try {
      return await outcome;
    } catch (thrown) {
      this.#res.off('close', this.#onClose);
      this.#close();
      throw thrown;
    }
  }

  start(events: StreamEvents): void {
    this.#iterator = events[Symbol.asyncIterator]();
    if (this.#phase === 'closed' || this.#res.destroyed) this.#close();
    else this.#open(this.#iterator, events.from);
  }

  #open(iterator: AsyncIterator<StreamEvent>, from: string | undefined): void {
    detachFromHapi(this.#res);
    this.#res.on('drain', this.#onDrain).once('close', this.#onClose);
    this.#owner.responder.open(this.#res, streamHeaders);
    this.#phase = 'open';
    const { socket } = this.#res;
    // Send the head and the first frame together.
    socket?.cork();
    this.#res.flushHeaders();
    this.#write(retryFrame(3000, from));
    socket?.uncork();
    if (this.#farewell === undefined) void this.#pump(iterator);
    else this.end(this.#farewell);
  }

  /** Writes a final frame and ends the stream. */
  end(farewell: string): void {
    if (this.#phase === 'opening') {
      this.#farewell = farewell;
      this.#abort.abort();
    }
    if (this.#phase !== 'open') return;
    this.#phase = 'ending';
    this.#since = this.#owner.now();
    this.#res.end(this.#waiting + farewell);
    this.#waiting = '';
    this.#release();
  }

  /** Writes the buffered events. */
  flush(): void {
    if (this.#blocked || this.#phase !== 'open' || this.#waiting === '') return;
    const waiting = this.#waiting;
    this.#waiting = '';
    this.#write(waiting);
  }

  /** Checks time limits: heartbeat, stalled reader, expired token. */
  tick(now: number): void {
    const { heartbeat_ms, stalled_ms, ending_ms } = this.#owner.limits;
    const quiet = now - this.#since;
    const reads = this.#phase === 'ending' ? quiet < ending_ms : !this.#blocked || quiet < stalled_ms;
    if (!reads) this.#cut();
    else if (this.#expired(now)) this.end(eventFrame({ type: 'revoked', data: { reason: 'expired' } }));
    else if (this.#phase === 'open' && !this.#blocked && quiet >= heartbeat_ms) this.#write(heartbeat);
  }

  #expired(now: number): boolean {
    const { expires_at } = this.caller;
    return this.#phase === 'open' && expires_at !== 0 && now >= expires_at;
  }

  async #pump(iterator: AsyncIterator<StreamEvent>): Promise<void> {
    try {
      while (this.#phase === 'open') {
        const step = await iterator.next();
        if (step.done) return this.end('');
        this.#take(step.value);
        if (this.#blocked) await new Promise<void>((resolve) => (this.#resume = resolve));
      }
    } catch (thrown) {
      this.#fault(thrown);
    }
  }

  #take(event: StreamEvent): void {
    if (this.#phase !== 'open') return;
    if (this.#waiting === '') this.#owner.schedule(this);
    this.#waiting += eventFrame(event);
    if (this.#waiting.length >= this.#owner.limits.waiting_bytes) this.flush();
  }

  /** Sends a failure as an event, because the headers have been sent. */
  #fault(thrown: unknown): void {
    if (this.#phase !== 'open') return;
    const failure = asFailure(thrown);
    const { code, status } = failure;
    const { request_id } = this.#res.req;
    if (status >= 500) this.#owner.warn('A stream failed', { request_id, code, fault: failure.cause ?? failure });
    this.end(eventFrame({ type: 'error', data: { code, message: sentenceOf(failure), request_id } }));
  }

  #write(text: string): void {
    this.#since = this.#owner.now();
    this.#blocked = !writeChunk(this.#res, text);
    if (this.#blocked) this.#res.socket?.once('drain', this.#onDrain);
  }

  readonly #onDrain = (): void => {
    this.#blocked = false;
    this.#since = this.#owner.now();
    this.flush();
    if (this.#blocked) return;
    this.#resume?.();
    this.#resume = undefined;
  };

  readonly #onClose = (): void => this.#close();

  #cut(): void {
    this.#owner.warn('A stream was cut: its client does not read', {
      request_id: this.#res.req.request_id,
      member_id: this.caller.member_id,
    });
    this.#res.destroy();
    this.#close();
  }

  #close(): void {
    if (this.#phase !== 'closed') this.#owner.closed(this);
    this.#phase = 'closed';
    this.#waiting = '';
    this.#release();
  }

  /** Releases the iterator. The signal wakes a waiting generator; its end is not awaited. */
  #release(): void {
    this.#abort.abort(fail('not_found', 'The stream has ended'));
    const iterator = this.#iterator;
    this.#iterator = undefined;
    this.#resume?.();
    this.#resume = undefined;
    iterator?.return?.()?.catch((fault: unknown) => {
      this.#owner.warn('A stream failed at its end', { request_id: this.#res.req.request_id, fault });
    });
  }
}
