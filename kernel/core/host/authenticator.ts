import type { Authenticator } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Host } from './host.js';

/** What is registered in the slot `authenticator` now. */
export function authenticatorOf(host: Host): Authenticator | undefined {
  for (const { draft } of host.running.values()) {
    const [authenticator] = draft.slots.get('authenticator') ?? [];
    if (authenticator) return authenticator as Authenticator;
  }
  return undefined;
}

/** Fails with `extension_unavailable` where there is none. */
export function requireAuthenticator(found: Authenticator | undefined): Authenticator {
  if (!found) throw fail('extension_unavailable', 'Nothing here can tell who you are: the extension that keeps the members is not active');
  return found;
}
