import { type Failure, failures } from '../contract/failure.js';

/** Failures of the client. `unreachable` is 503, like other temporary unavailability. */
export const failClient = failures({ unreachable: 503, unexpected_answer: 502 });

/** A server, as failures name it. */
export interface Server {
  readonly name: string;
  /** Returns the failure of a connection that broke. */
  lost(cause: unknown): Failure;
}
