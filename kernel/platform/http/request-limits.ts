import type { Failure } from '../../contract/failure.js';
import { networkOf } from '../../contract/network.js';
import type { Caller, Operation } from '../../contract/operation.js';
import { RateLimiter } from '../../core/limits/rate-limiter.js';
import { anonymous } from './auth.js';
import { asFailure } from './errors.js';
import type { Incoming } from './incoming.js';

export interface RequestLimitsConfig {
  /** Limit for one member, or one address without a login. 0: no limit. */
  requests_per_minute: number;
  /** Limit for operations marked `costly`. */
  costly_per_minute: number;
}

/** A request that exceeded a limit. */
export interface Excess {
  caller: Caller;
  request_id: string;
}

export interface RequestLimitsOptions extends RequestLimitsConfig {
  /** Called for each request that is refused. */
  exceeded?: ((excess: Excess) => void) | undefined;
}

/**
 * Limits HTTP requests per caller. Members are counted across all tokens and addresses, because many may share an address.
 * Anonymous callers are counted by address, IPv6 by network. Each instance counts separately, so that no
 * request waits for another machine.
 */
export class RequestLimits {
  readonly #members: RateLimiter;
  readonly #addresses: RateLimiter;
  readonly #costly: RateLimiter;
  readonly #exceeded: (excess: Excess) => void;

  constructor({ requests_per_minute: per_minute, costly_per_minute, exceeded = () => undefined }: RequestLimitsOptions) {
    this.#members = new RateLimiter({ per_minute, what: 'requests of one member' });
    this.#addresses = new RateLimiter({ per_minute, what: 'anonymous requests from one address' });
    this.#costly = new RateLimiter({ per_minute: costly_per_minute, what: 'costly requests of one member or address' });
    this.#exceeded = exceeded;
  }

  /** Counts a request. Fails with `rate_limited` above the limit. */
  admit(caller: Caller, request_id: string, operation?: Operation): void {
    const { member_id, address, door } = caller;
    if (door !== 'http') return;
    const key = member_id === 0 ? networkOf(address) : member_id;
    this.#reportExcess({ caller, request_id }, () => {
      if (member_id === 0) this.#addresses.use(key);
      else this.#members.use(key);
      if (operation?.costly) this.#costly.use(key);
    });
  }

  /** Returns the failure for a rejected request. After too many bad tokens it becomes `rate_limited`. */
  refused(req: Incoming, failure: Failure): Failure {
    if (failure.status !== 401 || req.door === 'local') return failure;
    try {
      this.#reportExcess({ caller: anonymous(req), request_id: req.request_id }, () => this.#addresses.use(networkOf(req.address)));
      return failure;
    } catch (thrown) {
      return asFailure(thrown);
    }
  }

  #reportExcess(excess: Excess, use: () => void): void {
    try {
      use();
    } catch (thrown) {
      this.#exceeded(excess);
      throw thrown;
    }
  }
}
