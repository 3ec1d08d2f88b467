import type { Outcome } from '../../contract/extension.js';
import type { Failure } from '../../contract/failure.js';
import type { Step } from '../../contract/operation.js';
import { errorBody } from './errors.js';
import { eventFrame, streamHeaders } from './frames.js';
import type { Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

/** Writes the response of a call with progress: events, if at least one step is reported. */
export class ProgressResponse {
  readonly #res: Outgoing;
  readonly #responder: Responder;
  #begun = false;

  constructor(res: Outgoing, responder: Responder) {
    this.#res = res;
    this.#responder = responder;
  }

  /** Whether progress has been sent; if not, the response is an ordinary one. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Sends a step; skips it if the client reads too slowly. */
  step(step: Step): void {
    if (this.#res.destroyed || this.#res.writableLength >= this.#res.writableHighWaterMark) return;
    if (!this.#begun) this.#responder.open(this.#res, streamHeaders);
    this.#begun = true;
    this.#res.write(eventFrame({ type: 'progress', data: step }));
  }

  answer({ status, body }: Outcome): void {
    this.#res.end(eventFrame({ type: 'answer', data: { status, body } }));
  }

  failure(failure: Failure): void {
    const { retry_after } = failure;
    const body = errorBody(failure, this.#res.req.request_id);
    this.#res.end(eventFrame({ type: 'error', data: { ...body, ...(retry_after === undefined ? {} : { retry_after }) } }));
  }
}
