import type { Outcome } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Caller, StreamEvent, StreamEvents } from '../../contract/operation.js';
import { detachFromHapi } from './detach-from-hapi.js';
import { asFailure, sentenceOf } from './errors.js';
import { eventFrame, heartbeat, retryFrame, streamHeaders } from './frames.js';
import type { Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

/**
 * Writes a piece of an answer as one chunk in one string. Its head has gone to the connection (`flushHeaders`), and no piece is written by the
 * response itself, which from Node 26 on keeps it until the next tick. Node makes four
 * writes and a list of them for each, which costs more than a small piece does (benchmark `streams`). Gives whether there is room for more; where
 * there isn't, the connection tells by its `drain`, or the response where it has no connection yet.
 */
export function writeChunk(res: Outgoing, text: string): boolean {
  const { socket } = res;
  if (!socket || !res.chunkedEncoding) return res.write(text);
  const length = Buffer.byteLength(text);
  return socket.write(`${length.toString(16)}\r\n${text}\r\n`, length === text.length ? 'latin1' : 'utf8');
}

export interface StreamLimits {
  /** A comment line after this time without an event. */
  heartbeat_ms: number;
  /** How long a client may leave what was written unread. */
  stalled_ms: number;
  /** How long a stream that was ended may take to be read to its end. */
  ending_ms: number;
  /** No further event is asked for while so many bytes wait to be written. */
  waiting_bytes: number;
}

export interface StreamOwner {
  readonly limits: StreamLimits;
  readonly responder: Responder;
  /** Has `flush` called as soon as nothing else can be done at once. */
  schedule(stream: EventStream): void;
  closed(stream: EventStream): void;
  now(): number;
  warn(message: string, fields: object): void;
}

export interface StreamRequest {
  res: Outgoing;
  caller: Caller;
  /** Whose operation it is. */
  extension: string;
}

type Phase = 'opening' | 'open' | 'ending' | 'closed';

/** One client that reads a stream of events. It outlives the cell that it came in by. */
export class EventStream {
  readonly caller: Caller;
  readonly extension: string;
  readonly #res: Outgoing;
  readonly #owner: StreamOwner;
  readonly #abort = new AbortController();
  #phase: Phase = 'opening';
  #iterator: AsyncIterator<StreamEvent> | undefined;
  #waiting = '';
  /** The frame that ends it, if it was ended before it began. */
  #farewell: string | undefined;
  #blocked = false;
  #resume: (() => void) | undefined;
  /** When something was last written, or began to wait for its reader. */
  #since: number;

  constructor(request: StreamRequest, owner: StreamOwner) {
    this.caller = request.caller;
    this.extension = request.extension;
    this.#res = request.res;
    this.#owner = owner;
    this.#since = owner.now();
    this.#res.once('close', this.#onClose);
  }

  /** Aborts when the stream is to end, whoever wants it. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Waits for the handler; when that fails there is no stream. */
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
    // The head and the first frame go out together.
    socket?.cork();
    this.#res.flushHeaders();
    this.#write(retryFrame(3000, from));
    socket?.uncork();
    if (this.#farewell === undefined) void this.#pump(iterator);
    else this.end(this.#farewell);
  }

  /** Writes a last frame and ends. */
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

  /** Writes what has come in since the last time. */
  flush(): void {
    if (this.#blocked || this.#phase !== 'open' || this.#waiting === '') return;
    const waiting = this.#waiting;
    this.#waiting = '';
    this.#write(waiting);
  }

  /** Looks after the clock: heartbeat, a reader that doesn't read, a token that ends. */
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

  /** The headers are out, so that a fault can only be told as an event. */
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

  /** Lets go of the events. A generator that waits is woken by the signal; its end is nobody's to wait for. */
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
