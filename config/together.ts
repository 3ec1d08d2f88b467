import type { Fault } from '../kernel/contract/failure.js';
import type { Config } from './schema.js';

/** What is wrong with settings beside each other, each of which is right. */
export function contradictions({ marketplace: { upstream_registry, upstream_token } }: Config): readonly Fault[] {
  if (upstream_token === '' || !isOverheard(upstream_registry)) return [];
  const message = `marketplace.upstream_token would be sent unencrypted to ${upstream_registry}: expected an address with https://, or no token`;
  return [{ path: 'marketplace.upstream_token', message }];
}

/** Whether others on the way can read what is sent there. */
function isOverheard(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
