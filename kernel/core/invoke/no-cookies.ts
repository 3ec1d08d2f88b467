import { type Failure, fail } from '../../contract/failure.js';
import type { CallCookies } from '../../contract/operation.js';

/** Returns the failure of a request that may not use a cookie which grants access. */
export function notOwnPage(reason: string): Failure {
  return fail('origin_refused', `Only the platform's own pages may use a session cookie: ${reason}`);
}

/** Reason for a request that says nothing about the page that sent it, as programs other than browsers do. */
export const noOrigin = 'the request has no Origin header';

/** The cookies of a call through a door that has none. */
export const noCookies: CallCookies = {
  isOwnPage: false,
  assertOwnPage() {
    throw notOwnPage(noOrigin);
  },
  read: () => undefined,
  set: () => undefined,
  remove: () => undefined,
};
