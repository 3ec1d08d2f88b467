import type { Outcome } from '../contract/extension.js';
import type { OperationData } from '../contract/manifest.js';
import type { Step, StreamEvent } from '../contract/operation.js';
import type { LineWord } from './resuming-stream.js';

export interface CallOptions {
  /** Aborts the request: a call rejects with the signal's reason, a stream just ends. */
  signal?: AbortSignal | undefined;
  /** Makes retries of the call safe. At most 200 characters. */
  idempotency_key?: string | undefined;
  /** Called with the bytes of an upload sent so far, and their total. Not called in direct mode, where nothing is sent. */
  sent?: ((bytes: number, total: number) => void) | undefined;
  /** Called with the progress of the call if its operation reports it; at most ten times a second. */
  progress?: ((step: Step) => void) | undefined;
  /** Called when the connection of a stream is made or lost. Not called in direct mode, where there is none. */
  line?: ((state: LineWord) => void) | undefined;
}

/** One request to an operation. */
export interface Request {
  id: string;
  operation: OperationData;
  input: object;
  options: CallOptions;
}

/**
 * A connection to an installation. On every transport the same request returns equal data or fails with the same
 * `Failure`; without a server that is `unreachable`.
 */
export interface Transport {
  call(request: Request): Promise<Outcome>;
  /** Yields events; their `data` has no `type`. */
  stream(request: Request): AsyncIterable<StreamEvent>;
  close(): Promise<void>;
}
