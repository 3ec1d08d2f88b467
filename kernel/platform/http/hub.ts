import type { Clock, Log } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Caller } from '../../contract/operation.js';
import { eventFrame, retryFrame } from './frames.js';
import type { Responder } from './responder.js';
import { EventStream, type StreamLimits, type StreamOwner, type StreamRequest } from './stream.js';

interface HubLimits {
  tick_ms: number;
  /** Limit of open streams for one member. */
  per_caller: number;
}

export interface HubOptions {
  responder: Responder;
  clock: Clock;
  log: Log;
  limits?: Partial<StreamLimits & HubLimits> | undefined;
}

const defaults = {
  heartbeat_ms: 15_000,
  stalled_ms: 30_000,
  ending_ms: 2_000,
  waiting_bytes: 64 * 1024,
  tick_ms: 1_000,
  per_caller: 1_000,
};

/** Holds the open event streams of all extensions, so that they survive a replacement, unlike streams of a hapi server (`streams.test`). */
export class StreamHub implements StreamOwner {
  readonly limits: StreamLimits & HubLimits;
  readonly responder: Responder;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #streams = new Set<EventStream>();
  #written: EventStream[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HubOptions) {
    this.responder = options.responder;
    this.#clock = options.clock;
    this.#log = options.log;
    this.limits = { ...defaults, ...options.limits };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Registers a new stream, so that it can be ended from now on. Fails with `rate_limited` if the caller has too many. */
  admit(request: StreamRequest): EventStream {
    this.#assertRoom(request.caller);
    const stream = new EventStream(request, this);
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#tick(), this.limits.tick_ms).unref();
    return stream;
  }

  /** Fails if one member, or one address without a login, has too many streams. */
  #assertRoom({ member_id, address }: Caller): void {
    if (this.#streams.size < this.limits.per_caller) return;
    let open = 0;
    for (const { caller } of this.#streams)
      if (caller.member_id === member_id && (member_id !== 0 || caller.address === address)) open += 1;
    if (open < this.limits.per_caller) return;
    throw fail('rate_limited', `You have ${open} streams open; close some before you open another`, { retry_after: 5 });
  }

  /** Returns the callers of open streams. */
  callers(): Caller[] {
    return [...this.#streams].map(({ caller }) => caller);
  }

  /** Ends the streams of a member, or only those of one token. */
  disconnect(who: { member_id: number; token_id?: string }): void {
    const farewell = eventFrame({ type: 'revoked', data: { reason: 'revoked' } });
    for (const { caller, stream } of this.#all()) {
      const meant = caller.member_id === who.member_id && (who.token_id === undefined || caller.token_id === who.token_id);
      if (meant) stream.end(farewell);
    }
  }

  /** Ends the streams of an extension that was removed (`unloaded`), or at shutdown (`stopping`), when clients should reconnect. */
  stopStreams(extension: string, why: 'unloaded' | 'stopping' = 'unloaded'): void {
    const farewell = why === 'stopping' ? retryFrame(1000) : eventFrame({ type: 'closed', data: { reason: why } });
    for (const { stream } of this.#all()) if (stream.extension === extension) stream.end(farewell);
  }

  /** Ends all streams with a hint to reconnect soon. */
  close(): void {
    for (const { stream } of this.#all()) stream.end(retryFrame(1000));
  }

  schedule(stream: EventStream): void {
    // Runs after all settled promises, but before new input is read: setImmediate would run after that.
    if (this.#written.length === 0) process.nextTick(this.#flush);
    this.#written.push(stream);
  }

  closed(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  now(): number {
    return this.#clock.now();
  }

  warn(message: string, fields: object): void {
    this.#log.warn(message, fields);
  }

  /** Flushes each stream with a single write: the cost is the system call. */
  readonly #flush = (): void => {
    const written = this.#written;
    this.#written = [];
    for (const stream of written) stream.flush();
  };

  #tick(): void {
    const now = this.now();
    for (const { stream } of this.#all()) stream.tick(now);
  }

  /** Returns a copy, because streams leave the set while they are being ended. */
  #all(): { stream: EventStream; caller: Caller }[] {
    return [...this.#streams].map((stream) => ({ stream, caller: stream.caller }));
  }
}
