import { fail } from '../../contract/failure.js';
import { Reader } from './reader.js';
import { writeThrown } from './thrown.js';
import { TooLong, type Wire } from './wire.js';

/** A streamed answer: a value at once, then events. */
export class Streamed {
  readonly value: unknown;
  readonly events: AsyncIterable<unknown>;

  constructor(value: unknown, events: AsyncIterable<unknown>) {
    this.value = value;
    this.events = events;
  }
}

/** Runs work in its async context. */
export type Runner = <T>(work: () => T) => T;

export interface RequestOptions {
  /** Returns the signal; called only if the other side watches it. */
  signal?: (() => AbortSignal | undefined) | undefined;
  /** The request of the other side during which this one is made. */
  within?: number | undefined;
  /** Time limit, and the failure after it. */
  limit?: { ms: number; fault: () => Error } | undefined;
}

interface Pending {
  resolve(answer: unknown): void;
  reject(fault: unknown): void;
  runner: Runner | undefined;
  signal: RequestOptions['signal'];
  reader?: Reader;
  timer?: NodeJS.Timeout;
  /** Stops watching the signal. */
  unwatch?: () => void;
}

/** Makes the requests of this side and handles their answers. */
export class Requester {
  readonly #wire: Wire;
  readonly #captureContext: (() => Runner) | undefined;
  /** Called for each request that has ended. */
  readonly #ended: (id: number) => void;
  readonly #pending = new Map<number, Pending>();
  #ids = 0;
  #closedError: Error | undefined;

  constructor(wire: Wire, { captureContext, ended }: { captureContext: (() => Runner) | undefined; ended: (id: number) => void }) {
    this.#wire = wire;
    this.#captureContext = captureContext;
    this.#ended = ended;
  }

  /** Number of requests in progress, including streams. */
  get size(): number {
    return this.#pending.size;
  }

  isInProgress(id: number | undefined): boolean {
    return id !== undefined && this.#pending.has(id);
  }

  /** Returns the async context of a request in progress. */
  runnerOf(id: number | undefined): Runner | undefined {
    return id === undefined ? undefined : this.#pending.get(id)?.runner;
  }

  async request(method: string, params: unknown, { signal, within, limit }: RequestOptions): Promise<unknown> {
    if (this.#closedError) throw this.#closedError;
    this.#ids += 1;
    const id = this.#ids;
    this.#send({ type: 'request', id, method, params, within });
    return new Promise((resolve, reject) => {
      const pending: Pending = { resolve, reject, runner: this.#captureContext?.(), signal };
      this.#pending.set(id, pending);
      if (limit) pending.timer = setTimeout(() => this.#expired(id, limit.fault()), limit.ms);
    });
  }

  answered({ id, value, stream }: { id: number; value?: unknown; stream?: true }): void {
    const pending = this.#waiting(id);
    if (!pending) return;
    if (stream) {
      clearTimeout(pending.timer);
      pending.reader = this.#readerOf(id);
    } else {
      this.#forget(id);
    }
    pending.resolve(pending.reader ? new Streamed(value, pending.reader) : value);
  }

  #readerOf(id: number): Reader {
    return new Reader({
      credit: (bytes) => void this.#wire.send({ type: 'credit', id, bytes }),
      leave: () => void this.#wire.send({ type: 'leave', id }),
      overrun: () => this.#wire.fail('it sent more of a stream than requested'),
      forget: () => this.#forget(id),
    });
  }

  failed(id: number, fault: Error): void {
    const reader = this.#pending.get(id)?.reader;
    if (reader) {
      reader.end({ thrown: fault });
      return;
    }
    const pending = this.#waiting(id);
    this.#forget(id);
    pending?.reject(fault);
  }

  /** Handles a request of the other side to watch the signal of a request. */
  watched(id: number): void {
    const pending = this.#pending.get(id);
    if (!pending || pending.unwatch) {
      this.#wire.countUnexpected();
      return;
    }
    const signal = pending.signal?.();
    if (signal) pending.unwatch = this.#onAbort(id, signal);
  }

  event(id: number, value: unknown, bytes: number): void {
    this.#reader(id)?.event(value, bytes);
  }

  ended(id: number): void {
    this.#reader(id)?.end();
  }

  /** Fails all requests in progress, and all later ones: the other side is gone. */
  closed(fault: Error): void {
    this.#closedError = fault;
    for (const id of this.#pending.keys()) this.failed(id, fault);
  }

  #send(frame: { type: 'request'; id: number; method: string; params: unknown; within: number | undefined }): void {
    try {
      this.#wire.send(frame);
    } catch (fault) {
      if (fault instanceof TooLong) throw fail('payload_too_large', `The parameters of '${frame.method}' are too long: ${fault.message}`);
      throw fault;
    }
  }

  #expired(id: number, fault: Error): void {
    this.#wire.send({ type: 'abort', id, reason: writeThrown(fault) });
    this.failed(id, fault);
  }

  #onAbort(id: number, signal: AbortSignal): () => void {
    const abort = () => {
      const reason: unknown = signal.reason;
      this.#wire.send({ type: 'abort', id, reason: typeof reason === 'string' ? reason : writeThrown(reason) });
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  }

  /** Returns a request without an answer yet. */
  #waiting(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending && !pending.reader) return pending;
    this.#wire.countUnexpected();
    return undefined;
  }

  #reader(id: number): Reader | undefined {
    const reader = this.#pending.get(id)?.reader;
    if (!reader) this.#wire.countUnexpected();
    return reader;
  }

  #forget(id: number): void {
    const pending = this.#pending.get(id);
    clearTimeout(pending?.timer);
    pending?.unwatch?.();
    if (this.#pending.delete(id)) this.#ended(id);
  }
}
