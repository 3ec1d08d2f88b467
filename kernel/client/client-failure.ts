import { type Failure, failures } from '../contract/failure.js';

/** Failures of the client. `unreachable` is 503, like other temporary unavailability; `login_refused`: nobody confirmed a login in a browser. */
export const failClient = failures({ unreachable: 503, unexpected_answer: 502, login_refused: 401 });

/** A server, as failures name it. */
export interface Server {
  readonly name: string;
  /** Returns the failure of a connection that broke. */
  lost(cause: unknown): Failure;
}
