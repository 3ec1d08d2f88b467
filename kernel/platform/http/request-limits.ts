import type { Failure } from '../../contract/failure.js';
import { networkOf } from '../../contract/network.js';
import type { Caller, Operation } from '../../contract/operation.js';
import { Allowance } from '../../core/limits/allowance.js';
import { anonymous } from './auth.js';
import { asFailure } from './errors.js';
import type { Incoming } from './incoming.js';

export interface RequestLimitsConfig {
  /** Of one member; of one address where nobody is known. 0: no limit. */
  requests_per_minute: number;
  /** The same of operations that are `costly`. */
  costly_per_minute: number;
}

/** A request that was one too many. */
export interface Excess {
  caller: Caller;
  request_id: string;
}

export interface RequestLimitsOptions extends RequestLimitsConfig {
  /** Told of each request that is refused. */
  exceeded?: ((excess: Excess) => void) | undefined;
}

/**
 * Holds everybody to a number of requests over HTTP. Of who is known the member counts, with all their tokens and wherever they are:
 * many may share an address. Of who isn't, the address counts, of IPv6 its network. Every instance counts for itself, so that no
 * request waits for another machine.
 */
export class RequestLimits {
  readonly #members: Allowance;
  readonly #addresses: Allowance;
  readonly #costly: Allowance;
  readonly #exceeded: (excess: Excess) => void;

  constructor({ requests_per_minute: per_minute, costly_per_minute, exceeded = () => undefined }: RequestLimitsOptions) {
    this.#members = new Allowance({ per_minute, what: 'requests of one member' });
    this.#addresses = new Allowance({ per_minute, what: 'requests from one address by nobody known' });
    this.#costly = new Allowance({ per_minute: costly_per_minute, what: 'costly requests of one member or address' });
    this.#exceeded = exceeded;
  }

  /** Counts a request. Fails with `rate_limited` where it is one too many. */
  admit(caller: Caller, request_id: string, operation?: Operation): void {
    const { member_id, address, door } = caller;
    if (door !== 'http') return;
    const key = member_id === 0 ? networkOf(address) : member_id;
    this.#noting({ caller, request_id }, () => {
      if (member_id === 0) this.#addresses.use(key);
      else this.#members.use(key);
      if (operation?.costly) this.#costly.use(key);
    });
  }

  /** What a request that was not let in is told. Whoever tries one bad token after the other is told so no longer. */
  refused(req: Incoming, failure: Failure): Failure {
    if (failure.status !== 401 || req.door === 'local') return failure;
    try {
      this.#noting({ caller: anonymous(req), request_id: req.request_id }, () => this.#addresses.use(networkOf(req.address)));
      return failure;
    } catch (thrown) {
      return asFailure(thrown);
    }
  }

  #noting(excess: Excess, use: () => void): void {
    try {
      use();
    } catch (thrown) {
      this.#exceeded(excess);
      throw thrown;
    }
  }
}
