import type { Handlers } from '../../../kernel/contract/index.js';
import type { TrustedKeysApi } from './contract.js';
import type { Trust } from './trust.js';

/** The function behind each operation of the trusted keys. */
export function trustedKeyHandlers(trust: Trust): Handlers<TrustedKeysApi> {
  return {
    'marketplace.trusted_keys': () => trust.list(),
    'marketplace.trust_key': (key, { caller }) => trust.add(key, caller),
    'marketplace.distrust_key': ({ id }) => trust.remove(id),
  };
}
