import { type Failure, fail } from '../../../contract/failure.js';
import type { Caller } from '../../../contract/operation.js';
import { detachFromHapi } from '../detach-from-hapi.js';
import type { Outgoing } from '../incoming.js';

export interface VisitParts {
  res: Outgoing;
  caller: Caller;
  /** Extension of the door. */
  extension: string;
}

/** Limit of Node's timers; a token that expires later is checked again before. */
const max_timer_ms = 2 ** 31 - 1;

/** One request of a door, until its response is written or its client has disconnected. */
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

  /** Aborts with a failure if the request must end before its response is complete. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Awaits `work`. If the request ends first, throws the reason and passes a late result to `late`. */
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

  /** Detaches the request from hapi before its response is written. */
  detach(): void {
    detachFromHapi(this.#res);
    this.#res.once('close', this.#onClose);
    if (this.#res.destroyed) this.#onClose();
  }

  /** Ends the request: without a response yet it fails with `failure`; a partial response is cut. */
  end(failure: Failure): void {
    this.#abort.abort(failure);
    if (this.#res.headersSent) this.#res.destroy();
  }

  readonly #onClose = (): void => {
    clearTimeout(this.#expiry);
    this.#leave(this);
    if (!this.#res.writableFinished) this.#abort.abort(fail('not_found', 'The client has disconnected'));
  };

  readonly #onExpiry = (): void => this.end(fail('invalid_token', 'The token has expired'));
}
