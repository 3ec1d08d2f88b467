import { type Failure, failures, isFailure } from '../../contract/failure.js';

/** What outgoing calls raise. */
export const fail = failures({
  /** Not an http(s) URL, one with credentials, or headers that can't be sent. */
  fetch_bad_url: 400,
  /** The host is at an address that outgoing calls may not reach. */
  fetch_address_refused: 400,
  /** Not found, not connected, broken off, or redirected too often. */
  fetch_failed: 502,
  fetch_timeout: 502,
  fetch_too_large: 502,
});

/** The {@link Failure} that is at the bottom of what the HTTP client threw. */
export function failureIn(thrown: unknown): Failure | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1)
    if (isFailure(error)) return error;
  return undefined;
}
