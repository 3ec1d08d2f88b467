import { fail } from '../../contract/failure.js';
import { event_bytes } from './limits.js';
import { type Runner, Streamed } from './requester.js';
import { Source } from './source.js';
import type { Thrown } from './thrown.js';
import { TooLong, type Wire } from './wire.js';

/** A request from the other side. */
export class Incoming {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
  readonly #watch: () => void;
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;

  constructor({ id, method, params }: { id: number; method: string; params?: unknown }, watch: () => void) {
    this.#watch = watch;
    this.id = id;
    this.method = method;
    this.params = params;
  }

  /** Aborts when the other side cancels the request or is gone. Created on first access. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    else this.#watch();
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}

export interface ResponderOptions {
  /** Answers a request; a {@link Streamed} for a stream. */
  serve: (request: Incoming) => unknown;
  /** Returns the async context in which a request is served. */
  contextOf: (request: { id: number; within?: number | undefined }) => Runner;
  /** Returns whether a request of this side is in progress. */
  isInProgress: (id: number | undefined) => boolean;
  /** Serialises an error of `serve`. */
  write: (thrown: unknown) => Thrown;
  /** Limit of concurrent requests of the other side; exceeding it is a protocol violation. */
  max_requests: number;
  /** Limit of their bytes together; requests above it are refused. Default: no limit. */
  max_request_bytes?: number;
}

interface Serving {
  request: Incoming;
  /** Size of the request. */
  bytes: number;
  /** The request of this side during which it was made, if still in progress. */
  within: number | undefined;
  source?: Source;
}

/** Serves the requests of the other side. */
export class Responder {
  readonly #wire: Wire;
  readonly #options: ResponderOptions;
  readonly #serving = new Map<number, Serving>();
  /** Bytes of all requests being served. */
  #bytes = 0;

  constructor(wire: Wire, options: ResponderOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  request(frame: { id: number; method: string; params?: unknown; within?: number | undefined }, bytes: number): void {
    const { max_requests, max_request_bytes = Number.POSITIVE_INFINITY, contextOf } = this.#options;
    const violation = this.#serving.has(frame.id)
      ? `two requests with the number ${frame.id}`
      : `more than ${max_requests} requests at once`;
    if (this.#serving.has(frame.id) || this.#serving.size >= max_requests) {
      this.#wire.fail(`it made ${violation}`);
      return;
    }
    if (this.#serving.size > 0 && this.#bytes + bytes > max_request_bytes) {
      this.#refuse(frame.id);
      return;
    }
    const watch = () => {
      if (this.#serving.has(frame.id)) this.#wire.send({ type: 'watch', id: frame.id });
    };
    const within = this.#options.isInProgress(frame.within) ? frame.within : undefined;
    const serving = { request: new Incoming(frame, watch), bytes, within };
    this.#bytes += bytes;
    this.#serving.set(frame.id, serving);
    void contextOf(frame)(() => this.#answer(serving));
  }

  credit(id: number, bytes: number): void {
    this.#of(id)?.source?.grant(bytes);
  }

  leave(id: number): void {
    this.#of(id)?.source?.leave();
  }

  abort(id: number, reason: unknown): void {
    this.#of(id)?.request.abort(reason);
  }

  /** Ends the streams opened during a request of this side: it has ended, so its caller's permissions no longer apply. */
  requestEnded(within: number): void {
    for (const serving of this.#serving.values()) if (serving.within === within) serving.source?.end(callEnded());
  }

  /** The other side is gone. */
  closed(reason: Error): void {
    for (const { request, source } of this.#serving.values()) {
      request.abort(reason);
      source?.leave();
    }
  }

  async #answer(serving: Serving): Promise<void> {
    const { id, method } = serving.request;
    try {
      const answer = await this.#options.serve(serving.request);
      if (answer instanceof Streamed) await this.#stream(serving, answer);
      else this.#send(id, answer);
    } catch (thrown) {
      this.#wire.send({ type: 'failure', id, thrown: this.#options.write(explained(thrown, method)) });
    } finally {
      this.#serving.delete(id);
      this.#bytes -= serving.bytes;
    }
  }

  /** Refuses a request; repeated excess disconnects the other side. */
  #refuse(id: number): void {
    this.#wire.countUnexpected();
    const fault = fail('rate_limited', 'Your requests in progress are too large together; wait for some to finish', { retry_after: 1 });
    this.#wire.send({ type: 'failure', id, thrown: this.#options.write(fault) });
  }

  #send(id: number, value: unknown): void {
    if (!this.#wire.overfull) {
      this.#wire.send({ type: 'answer', id, value });
      return;
    }
    // Tolerated at first; a side that never reads is disconnected.
    this.#wire.countUnexpected();
    throw fail('rate_limited', 'Too many messages wait to be read', { retry_after: 1 });
  }

  async #stream(serving: Serving, { value, events }: Streamed): Promise<void> {
    const { id } = serving.request;
    if (serving.within !== undefined && !this.#options.isInProgress(serving.within)) throw callEnded();
    const source = new Source(events, {
      send: (event) => this.#wire.send({ type: 'event', id, value: event }, event_bytes),
      room: () => this.#wire.room(),
    });
    serving.source = source;
    this.#wire.send({ type: 'answer', id, value, stream: true });
    await source.run();
    this.#wire.send({ type: 'end', id });
  }

  #of(id: number): Serving | undefined {
    const serving = this.#serving.get(id);
    if (!serving) this.#wire.countUnexpected();
    return serving;
  }
}

function callEnded(): Error {
  return fail('forbidden', 'The call during which this stream was opened has ended');
}

function explained(thrown: unknown, method: string): unknown {
  if (!(thrown instanceof TooLong)) return thrown;
  return fail('internal_error', `The answer of '${method}' is too long: ${thrown.message}`);
}
