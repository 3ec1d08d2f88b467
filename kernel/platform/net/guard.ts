import { isIP } from 'node:net';
import { isFailure } from '../../contract/failure.js';
import { within } from '../../contract/within.js';
import { normalAddress, refusalOf } from './address.js';
import { fail } from './failures.js';
import { Rules, splitPort, type Target } from './rules.js';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface GuardOptions {
  /** Host names, `host:port`, addresses and ranges that may be reached although they are private. */
  allow: readonly string[];
  /** Own addresses of the platform, as `host:port`: refused unless `allow` names them with the port. */
  own: () => readonly string[];
  /** Resolves all addresses of a name. */
  lookup: (name: string) => Promise<readonly ResolvedAddress[]>;
  /** Returns the addresses of this machine. */
  interfaces: () => readonly string[];
}

const LOOKUP_MS = 10_000;
/** Lookup limit for checking a URL in advance, because a person waits for it. */
const PRECHECK_MS = 3_000;

/** Decides which addresses may be connected to. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #rules: Rules;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#rules = new Rules(options.allow);
  }

  /** Resolves a host; fails with `fetch_address_refused` unless all its addresses are permitted. */
  async resolve(hostname: string, port: number, lookup_ms = LOOKUP_MS): Promise<readonly ResolvedAddress[]> {
    const name = plainName(hostname);
    const family = isIP(name);
    const addresses = family === 0 ? await this.#lookup(name, lookup_ms) : [{ address: name, family }];
    for (const { address } of addresses) this.#check({ name, port, address });
    return addresses;
  }

  /** Checks a host in advance like {@link resolve}; accepts a name that can't be resolved now. */
  async precheck(hostname: string, port: number): Promise<void> {
    try {
      await this.resolve(hostname, port, PRECHECK_MS);
    } catch (fault) {
      if (!isFailure(fault) || fault.code !== 'fetch_failed') throw fault;
    }
  }

  async #lookup(name: string, lookup_ms: number): Promise<readonly ResolvedAddress[]> {
    try {
      const onTimeout = (): never => {
        throw new Error(`no answer within ${lookup_ms} ms`);
      };
      const addresses = await within(lookup_ms, this.#options.lookup(name), onTimeout);
      if (addresses.length > 0) return addresses;
    } catch (error) {
      throw fail('fetch_failed', `Host '${name}' could not be resolved: ${(error as Error).message}`, { cause: error });
    }
    throw fail('fetch_failed', `Host '${name}' has no address`);
  }

  #check(target: Target): void {
    const reason = this.#refusal(target);
    if (reason === undefined) return;
    // The address is omitted: it would reveal the internal network to the caller.
    throw fail(
      'fetch_address_refused',
      `Outgoing calls may not reach '${target.name}' (${reason}) unless the setting fetch_allow names it`,
    );
  }

  #refusal(target: Target): string | undefined {
    if (this.#rules.allowExactly(target)) return undefined;
    if (this.#isOwn(target)) return 'the platform itself';
    if (this.#rules.allow(target)) return undefined;
    return refusalOf(target.address) ?? (this.#isThisMachine(target.address) ? 'this machine' : undefined);
  }

  #isThisMachine(address: string): boolean {
    const normal = normalAddress(address);
    return this.#options.interfaces().some((own) => normalAddress(own) === normal);
  }

  #isOwn({ address, port }: Target): boolean {
    return this.#options.own().some((listening) => {
      const { host, port: listenedPort } = splitPort(listening);
      if (listenedPort !== port) return false;
      // 0.0.0.0 and :: mean all addresses of the machine; for a host name it is unknown which one it means.
      const isWildcard = isIP(host) === 0 || refusalOf(host) === 'unspecified';
      return isWildcard ? this.#isLocal(address) : normalAddress(host) === normalAddress(address);
    });
  }

  #isLocal(address: string): boolean {
    return ['loopback', 'unspecified'].includes(refusalOf(address) ?? '') || this.#isThisMachine(address);
  }
}

/** Removes the brackets of an IPv6 address and the trailing dot of a name. */
function plainName(hostname: string): string {
  return hostname.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
}
