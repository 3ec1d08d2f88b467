import type { Duplex } from 'node:stream';
import type { Frame } from './frame.js';
import { Requester, type RequestOptions, type Runner } from './requester.js';
import { type Incoming, Responder } from './responder.js';
import { readThrown, type Thrown, writeThrown } from './thrown.js';
import { Wire } from './wire.js';

export interface PeerOptions {
  /** Answers a request of the other side; returns a `Streamed` for a stream. */
  serve: (request: Incoming) => unknown;
  /** Handles a notice, which has no answer; returns false if it was unexpected. */
  notice: (method: string, params: unknown, bytes: number) => boolean;
  /** Returns the async context for the work of a request (`id`) or a notice. */
  contextOf: (from: { id?: number; within?: number | undefined }) => Runner;
  /** Captures the async context of a request of this side, for requests that the other side makes during it. */
  captureContext?: () => Runner;
  /** Serialises an error of `serve`. Default: unchanged. */
  write?: (thrown: unknown) => Thrown;
  /** Limit of concurrent requests of the other side; exceeding it is a protocol violation. */
  max_requests: number;
  /** Limit of their bytes together; requests above it are refused. Default: no limit. */
  max_request_bytes?: number;
  /** Called when the other side is gone; `fault` is its violation, if any. Returns the error for later requests. */
  closed: (fault: string | undefined) => Error;
}

/** One side of a connection over a pipe: makes and serves requests, and streams both ways. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #wire: Wire;
  readonly #requester: Requester;
  readonly #responder: Responder;
  #pong: (() => void) | undefined;

  constructor(socket: Duplex, options: PeerOptions) {
    this.#options = options;
    this.#wire = new Wire(socket, { frame: (frame, bytes) => this.#frame(frame, bytes), closed: (fault) => this.#closed(fault) });
    this.#requester = new Requester(this.#wire, {
      captureContext: options.captureContext,
      ended: (id) => this.#responder.requestEnded(id),
    });
    const isInProgress = (id: number | undefined) => this.#requester.isInProgress(id);
    this.#responder = new Responder(this.#wire, { write: writeThrown, isInProgress, ...options });
  }

  /** Number of this side's requests in progress, including streams. */
  get inProgress(): number {
    return this.#requester.size;
  }

  /** Size of the queue to the other side. */
  get queued(): number {
    return this.#wire.queued;
  }

  /** Whether the queue is too large to start further work. */
  get overfull(): boolean {
    return this.#wire.overfull;
  }

  /** Returns the async context of a request of this side. */
  runnerOf(id: number | undefined): Runner | undefined {
    return this.#requester.runnerOf(id);
  }

  /** Makes a request; resolves with the answer, a `Streamed` for a stream. Rejects with the other side's error. */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    return this.#requester.request(method, params, options);
  }

  /** Sends a notice, which has no answer. */
  notify(method: string, params: unknown, within?: number): void {
    this.#wire.send({ type: 'notice', method, params, within });
  }

  /** Pings the other side. */
  ping(answered: () => void): void {
    this.#pong = answered;
    this.#wire.send({ type: 'ping' });
  }

  /** Disconnects the other side. */
  fail(fault: string): void {
    this.#wire.fail(fault);
  }

  #frame(frame: Frame, bytes: number): void {
    switch (frame.type) {
      case 'request':
        this.#responder.request(frame, bytes);
        break;
      case 'notice':
        this.#notice(frame, bytes);
        break;
      case 'answer':
        this.#requester.answered(frame);
        break;
      case 'failure':
        this.#requester.failed(frame.id, readThrown(frame.thrown));
        break;
      case 'event':
        this.#requester.event(frame.id, frame.value, bytes);
        break;
      case 'end':
        this.#requester.ended(frame.id);
        break;
      case 'credit':
        this.#responder.credit(frame.id, frame.bytes);
        break;
      case 'leave':
        this.#responder.leave(frame.id);
        break;
      case 'watch':
        this.#requester.watched(frame.id);
        break;
      case 'abort':
        this.#responder.abort(frame.id, typeof frame.reason === 'string' ? frame.reason : readThrown(frame.reason));
        break;
      case 'ping':
        this.#wire.send({ type: 'pong' });
        break;
      case 'pong':
        this.#ponged();
        break;
    }
  }

  #notice({ method, params, within }: { method: string; params?: unknown; within?: number | undefined }, bytes: number): void {
    const expected = this.#options.contextOf({ within })(() => this.#options.notice(method, params, bytes));
    if (!expected) this.#wire.countUnexpected();
  }

  #ponged(): void {
    const answered = this.#pong;
    this.#pong = undefined;
    if (answered) answered();
    else this.#wire.countUnexpected();
  }

  #closed(fault: string | undefined): void {
    const error = this.#options.closed(fault);
    this.#requester.closed(error);
    this.#responder.closed(error);
  }
}
