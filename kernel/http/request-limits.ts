import type { Failure } from '../contract/failure.js';
import type { Caller, Operation } from '../contract/operation.js';
import { Allowance } from '../service/allowance.js';
import { asFailure } from './errors.js';
import type { Incoming } from './incoming.js';

export interface RequestLimitsConfig {
  /** Of one member; of one address where nobody is known. 0: no limit. */
  requests_per_minute: number;
  /** The same of operations that are `costly`. */
  costly_per_minute: number;
}

/**
 * Holds everybody to a number of requests over HTTP. Of who is known the member counts, with all their tokens and wherever they are:
 * many may share an address. Every instance counts for itself, so that no request waits for another machine.
 */
export class RequestLimits {
  readonly #members: Allowance;
  readonly #addresses: Allowance;
  readonly #costly: Allowance;

  constructor({ requests_per_minute: per_minute, costly_per_minute }: RequestLimitsConfig) {
    this.#members = new Allowance({ per_minute, what: 'requests of one member' });
    this.#addresses = new Allowance({ per_minute, what: 'requests from one address by nobody known' });
    this.#costly = new Allowance({ per_minute: costly_per_minute, what: 'costly requests of one member or address' });
  }

  /** Counts a request. Fails with `rate_limited` where it is one too many. */
  admit({ member_id, address, door }: Caller, operation?: Operation): void {
    if (door !== 'http') return;
    if (member_id === 0) this.#addresses.use(address);
    else this.#members.use(member_id);
    if (operation?.costly) this.#costly.use(member_id === 0 ? address : member_id);
  }

  /** What a request that was not let in is told. Whoever tries one bad token after the other is told so no longer. */
  refused({ door, address }: Pick<Incoming, 'door' | 'address'>, failure: Failure): Failure {
    if (failure.status !== 401 || door === 'local') return failure;
    try {
      this.#addresses.use(address);
      return failure;
    } catch (thrown) {
      return asFailure(thrown);
    }
  }
}
