import { type Failure, failures, isFailure } from '../../contract/failure.js';

/** Failures of outgoing requests. */
export const fail = failures({
  /** Not an http(s) URL, one with credentials, or headers that can't be sent. */
  fetch_bad_url: 400,
  /** The host resolves to an address that outgoing requests may not reach. */
  fetch_address_refused: 400,
  /** Host unknown, connection failed or lost, or too many redirects. */
  fetch_failed: 502,
  fetch_timeout: 502,
  fetch_too_large: 502,
});

/** Returns the {@link Failure} in the cause chain of an HTTP client's error. */
export function failureIn(thrown: unknown): Failure | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1)
    if (isFailure(error)) return error;
  return undefined;
}
