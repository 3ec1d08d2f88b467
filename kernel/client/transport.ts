import type { Outcome } from '../contract/extension.js';
import type { OperationData } from '../contract/manifest.js';
import type { Step, StreamEvent } from '../contract/operation.js';

export interface CallOptions {
  /** Gives the call up: a call fails with the signal's reason, a stream just ends. */
  signal?: AbortSignal | undefined;
  /** Makes a repetition of the call harmless. At most 200 characters. */
  idempotency_key?: string | undefined;
  /** Told how many bytes of an upload have left, of how many. Not in this process, where none have to. */
  sent?: ((bytes: number, total: number) => void) | undefined;
  /** Told how far the call is, where its operation tells that; ten times a second at most. */
  progress?: ((step: Step) => void) | undefined;
}

/** One use of an operation. */
export interface Request {
  id: string;
  operation: OperationData;
  input: object;
  options: CallOptions;
}

/**
 * A way to an installation. Whatever the way, the same request gives equal data or the same
 * `Failure`; where nobody is at the other end that is `unreachable`.
 */
export interface Transport {
  call(request: Request): Promise<Outcome>;
  /** The events' `data` is without `type`. */
  stream(request: Request): AsyncIterable<StreamEvent>;
  close(): Promise<void>;
}
