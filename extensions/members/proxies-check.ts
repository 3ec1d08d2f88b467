import type { CheckResult } from '../../kernel/contract/index.js';
import { isPrivate } from './network.js';

/** More names than one household or developer has. */
export const min_names = 10;

/**
 * Red if many user names come from one private address while no proxy is trusted: then it is probably a proxy, and everybody behind
 * it counts as one client. Undefined where proxies are trusted.
 */
export function proxiesCheck(found: readonly { address: string; names: number }[], trusted: readonly string[]): CheckResult | undefined {
  if (trusted.length > 0) return undefined;
  const proxy = found.find(({ address }) => isPrivate(address));
  if (!proxy) return { ok: true, message: 'No private address looks like a proxy of many members' };
  const { address, names } = proxy;
  return {
    ok: false,
    message: `Logins with ${names} user names came from the private address ${address}: if it is a proxy, all behind it share one limit on failed logins`,
    fix: `PLATFORM_TRUSTED_PROXIES=${address} platform serve, if ${address} is a reverse proxy of yours that sets X-Forwarded-For`,
  };
}
