import type { Authenticator } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Loaded } from './loaded.js';

/** Returns the current contribution to the slot `authenticator`. */
export function authenticatorOf(loaded: Loaded): Authenticator | undefined {
  return loaded.slot<Authenticator>('authenticator')[0];
}

/** Returns the authenticator. Fails with `extension_unavailable` if none is registered. */
export function requireAuthenticator(found: Authenticator | undefined): Authenticator {
  if (!found) throw fail('extension_unavailable', 'Authentication is unavailable: the extension members is not active');
  return found;
}
