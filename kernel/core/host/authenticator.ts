import type { Authenticator } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Loaded } from './loaded.js';

/** Returns what is registered in the slot `authenticator` now. */
export function authenticatorOf(loaded: Loaded): Authenticator | undefined {
  return loaded.slot<Authenticator>('authenticator')[0];
}

/** Fails with `extension_unavailable` where there is none. */
export function requireAuthenticator(found: Authenticator | undefined): Authenticator {
  if (!found) throw fail('extension_unavailable', 'Nothing here can tell who you are: the extension that keeps the members is not active');
  return found;
}
