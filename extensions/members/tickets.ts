import { type Caller, type Clock, fail } from '../../kernel/contract/index.js';
import { callerOf } from './caller.js';
import type { Ticket } from './contract.js';
import { isCredentialValid } from './credential-validity.js';
import { digest, newSecret } from './opaque.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';

const ttl_s = 60;
const max_open = 100;

/**
 * Issues tickets: valid once, for a minute, for requests that can't send headers. Stored in the database, so that any
 * instance accepts them.
 */
export class Tickets {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Creates a ticket for the caller's credential; it ends with the credential. */
  async create(caller: Caller): Promise<Ticket> {
    const now = this.#clock.now();
    const member = await this.#store.members.byId(caller.member_id);
    if (!member) throw invalid();
    if ((await this.#store.tickets.countUnused(member.id, this.#clock.iso())) >= max_open)
      throw fail('rate_limited', `${max_open} tickets are still unused; try again in a minute`, { retry_after: ttl_s });
    const ticket = newSecret();
    await this.#store.tickets.insert({
      hash: digest(ticket),
      member_id: member.id,
      version: member.version,
      token_id: caller.token_id,
      scopes: caller.scopes,
      valid_until: caller.expires_at === 0 ? null : new Date(caller.expires_at).toISOString(),
      expires_at: isoAfter(now, ttl_s * 1000),
    });
    return { ticket, expires_in: ttl_s };
  }

  /** Takes a ticket and returns its creator. Fails with `invalid_token`, also on reuse. */
  async redeem(ticket: string): Promise<Caller> {
    const found = await this.#store.tickets.redeem(digest(ticket), this.#clock.iso());
    const member = found && (await this.#store.members.byId(found.member_id));
    const now = this.#clock.iso();
    const isExpired = found?.valid_until != null && found.valid_until <= now;
    if (!member || isExpired || member.version !== found.version || !(await isCredentialValid(this.#store, found.token_id, now)))
      throw invalid();
    const expires_at = found.valid_until === null ? 0 : Date.parse(found.valid_until);
    const { scopes, token_id } = found;
    return { ...callerOf(member, 'http'), scopes, token_id, expires_at };
  }

  sweep(): Promise<number> {
    return this.#store.tickets.sweep(this.#clock.iso());
  }
}

function invalid() {
  return fail('invalid_token', 'The ticket is not valid: tickets are valid once and for a minute');
}
