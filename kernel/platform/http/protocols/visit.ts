import { type Failure, fail } from '../../../contract/failure.js';
import type { Caller } from '../../../contract/operation.js';
import { detachFromHapi } from '../detach-from-hapi.js';
import type { Outgoing } from '../incoming.js';

export interface VisitParts {
  res: Outgoing;
  caller: Caller;
  /** Whose door it is. */
  extension: string;
}

/** Longer than this no timer of Node's waits; a token that ends later is asked for again before. */
const max_timer_ms = 2 ** 31 - 1;

/** One request through a door, until the last byte of its answer is written or its client is gone. */
export class Visit {
  readonly caller: Caller;
  readonly extension: string;
  readonly #res: Outgoing;
  readonly #leave: (visit: Visit) => void;
  readonly #abort = new AbortController();
  #expiry: NodeJS.Timeout | undefined;

  constructor({ res, caller, extension }: VisitParts, leave: (visit: Visit) => void) {
    this.caller = caller;
    this.extension = extension;
    this.#res = res;
    this.#leave = leave;
    res.once('close', this.#onClose);
    const left = caller.expires_at - Date.now();
    if (caller.expires_at !== 0 && left < max_timer_ms) this.#expiry = setTimeout(this.#onExpiry, Math.max(0, left));
  }

  /** Aborts with a failure when the visit is to end before its answer is whole. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What `work` gives, unless the visit ends first: then that is thrown, and what comes late is given to `late`. */
  async whileHere<T>(work: Promise<T>, late: (result: T) => void): Promise<T> {
    const { signal } = this;
    const ended = new Promise<never>((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    work.then(
      (result) => signal.aborted && late(result),
      () => undefined,
    );
    return Promise.race([work, ended]);
  }

  /** Takes the request from hapi: from here on its answer is written. */
  detach(): void {
    detachFromHapi(this.#res);
    this.#res.once('close', this.#onClose);
    if (this.#res.destroyed) this.#onClose();
  }

  /** Ends it now: what has no answer yet gets `why`, and an answer that is being written is cut. */
  end(why: Failure): void {
    this.#abort.abort(why);
    if (this.#res.headersSent) this.#res.destroy();
  }

  readonly #onClose = (): void => {
    clearTimeout(this.#expiry);
    this.#leave(this);
    if (!this.#res.writableFinished) this.#abort.abort(fail('not_found', 'The client has left'));
  };

  readonly #onExpiry = (): void => this.end(fail('invalid_token', 'The token has expired'));
}
