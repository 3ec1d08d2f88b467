import type { Duplex } from 'node:stream';
import { Answerer, type Incoming } from './answerer.js';
import { Asker, type RequestOptions, type Runner } from './asker.js';
import type { Frame } from './frame.js';
import { readThrown, type Thrown, writeThrown } from './thrown.js';
import { Wire } from './wire.js';

export interface PeerOptions {
  /** Answers a request of the other side; a `Streamed` for a stream. */
  serve: (request: Incoming) => unknown;
  /** Takes what has no answer; false where it was of no use. */
  notice: (method: string, params: unknown, bytes: number) => boolean;
  /** In what surroundings the work for a request (`id`) or a notice runs. */
  surroundings: (from: { id?: number; within?: number | undefined }) => Runner;
  /** Keeps the surroundings of a request of this side for what the other asks in its course. */
  keep?: () => Runner;
  /** Writes down what `serve` threw. Default: as it is. */
  write?: (thrown: unknown) => Thrown;
  /** Requests of the other side under way at once; one more is a breach. */
  accepts: number;
  /** What they may have brought together; one that is too much is refused. Default: no limit. */
  accepts_bytes?: number;
  /** The other side is gone, because of a fault of its own where one is given. Gives what requests fail with from now on. */
  closed: (fault: string | undefined) => Error;
}

/** One side of a conversation over a pipe: asks the other, answers it, and streams both ways. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #wire: Wire;
  readonly #asker: Asker;
  readonly #answerer: Answerer;
  #pong: (() => void) | undefined;

  constructor(socket: Duplex, options: PeerOptions) {
    this.#options = options;
    this.#wire = new Wire(socket, { frame: (frame, bytes) => this.#frame(frame, bytes), closed: (fault) => this.#closed(fault) });
    this.#asker = new Asker(this.#wire, { keep: options.keep, over: (id) => this.#answerer.over(id) });
    const isUnderWay = (id: number | undefined) => this.#asker.isUnderWay(id);
    this.#answerer = new Answerer(this.#wire, { write: writeThrown, isUnderWay, ...options });
  }

  /** Requests of this side under way, streams included. */
  get underWay(): number {
    return this.#asker.size;
  }

  /** What waits to be read by the other side. */
  get queued(): number {
    return this.#wire.queued;
  }

  /** Whether so much waits to be written that no further work should begin. */
  get overfull(): boolean {
    return this.#wire.overfull;
  }

  /** The surroundings of a request of this side that is under way. */
  runnerOf(id: number | undefined): Runner | undefined {
    return this.#asker.runnerOf(id);
  }

  /** Asks; gives the answer, a `Streamed` where it is a stream. Fails with what the other side threw. */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    return this.#asker.request(method, params, options);
  }

  /** Tells what has no answer. */
  notify(method: string, params: unknown, within?: number): void {
    this.#wire.send({ type: 'notice', method, params, within });
  }

  /** Asks for a sign of life. */
  ping(answered: () => void): void {
    this.#pong = answered;
    this.#wire.send({ type: 'ping' });
  }

  /** Gives the other side up. */
  fail(fault: string): void {
    this.#wire.fail(fault);
  }

  #frame(frame: Frame, bytes: number): void {
    switch (frame.type) {
      case 'request':
        this.#answerer.request(frame, bytes);
        break;
      case 'notice':
        this.#notice(frame, bytes);
        break;
      case 'answer':
        this.#asker.answered(frame);
        break;
      case 'failure':
        this.#asker.failed(frame.id, readThrown(frame.thrown));
        break;
      case 'event':
        this.#asker.event(frame.id, frame.value, bytes);
        break;
      case 'end':
        this.#asker.ended(frame.id);
        break;
      case 'credit':
        this.#answerer.credit(frame.id, frame.bytes);
        break;
      case 'leave':
        this.#answerer.leave(frame.id);
        break;
      case 'watch':
        this.#asker.watched(frame.id);
        break;
      case 'abort':
        this.#answerer.abort(frame.id, typeof frame.reason === 'string' ? frame.reason : readThrown(frame.reason));
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
    const useful = this.#options.surroundings({ within })(() => this.#options.notice(method, params, bytes));
    if (!useful) this.#wire.useless();
  }

  #ponged(): void {
    const answered = this.#pong;
    this.#pong = undefined;
    if (answered) answered();
    else this.#wire.useless();
  }

  #closed(fault: string | undefined): void {
    const error = this.#options.closed(fault);
    this.#asker.closed(error);
    this.#answerer.closed(error);
  }
}
