import { LRUCache } from 'lru-cache';
import { type Authenticator, type Caller, type Clock, type Door, fail } from '../../kernel/contract/index.js';
import type { AccessTokens } from './access-tokens.js';
import { callerOf, loginTokenId } from './caller.js';
import { endedCallers } from './credential-validity.js';
import type { Logins } from './logins.js';
import type { Store } from './store.js';
import type { Tickets } from './tickets.js';
import { personalPrefix, type Tokens } from './tokens.js';

/** Cache time of a verified token, in case the broadcast of its revocation is lost between instances. */
const cache_ms = 5_000;
const max_cached = 10_000;
/** Limit of a token's length; ours have under 400. */
const max_token_length = 2_048;

interface CachedCaller {
  caller: Caller;
  fresh_until: number;
}

interface Parts {
  store: Store;
  access: AccessTokens;
  tokens: Tokens;
  tickets: Tickets;
  logins: Pick<Logins, 'callerOf' | 'recordUse'>;
  clock: Clock;
}

/**
 * Implements the slot `authenticator`. Verified tokens are cached and checked again after 5 s; the end of a login, a
 * token or a member is broadcast to all instances at once, which drop it from the cache.
 */
export class Authentication implements Authenticator {
  readonly #cache = new LRUCache<string, CachedCaller>({ max: max_cached });
  readonly #lookups = new Map<string, Promise<Caller>>();
  /** Incremented by each `forget`: a lookup that began before it must not be cached after it. */
  #epoch = 0;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  token(token: string, door: Door, address: string): Caller | Promise<Caller> {
    const cached = this.#cache.get(token);
    if (cached && this.#parts.clock.now() < cached.fresh_until) return withDoor(cached.caller, door, address);
    return this.#shared(token, address).then((caller) => withDoor(caller, door, address));
  }

  async ticket(ticket: string, door: Door, address: string): Promise<Caller> {
    return withDoor(await this.#parts.tickets.redeem(ticket), door, address);
  }

  async session(cookie: string, door: Door, address: string): Promise<Caller> {
    return withDoor(await this.#parts.logins.callerOf(cookie), door, address);
  }

  async local(door: Door): Promise<Caller> {
    const admin = await this.#parts.store.members.firstAdmin();
    if (!admin) throw new Error('There is no administrator, although the first start creates one and the last one cannot be deleted');
    return callerOf(admin, door);
  }

  async ended(callers: readonly Caller[]): Promise<Caller[]> {
    const { store, clock } = this.#parts;
    const found = await endedCallers(store, callers, clock.iso());
    for (const { member_id, token_id } of found) this.forget(member_id, token_id);
    return found;
  }

  /** Drops the tokens of a member, or one of them, from the cache. */
  forget(member_id: number, token_id?: string): void {
    this.#epoch += 1;
    this.#lookups.clear();
    const isAffected = ({ caller }: CachedCaller) =>
      caller.member_id === member_id && (token_id === undefined || caller.token_id === token_id);
    const tokens = [...this.#cache.entries()].filter(([, known]) => isAffected(known)).map(([token]) => token);
    for (const token of tokens) this.#cache.delete(token);
  }

  /** Verifies a token; concurrent requests with the same token share a lookup. */
  #shared(token: string, address: string): Promise<Caller> {
    const running = this.#lookups.get(token);
    if (running) return running;
    const lookup = this.#lookUp(token, address).finally(() => {
      if (this.#lookups.get(token) === lookup) this.#lookups.delete(token);
    });
    this.#lookups.set(token, lookup);
    return lookup;
  }

  async #lookUp(token: string, address: string): Promise<Caller> {
    const epoch = this.#epoch;
    const caller = token.length > max_token_length ? undefined : await this.#caller(token, address);
    if (!caller) throw fail('invalid_token', 'The token is not valid: expired, revoked or not issued here');
    const until = this.#parts.clock.now() + cache_ms;
    const fresh_until = caller.expires_at === 0 ? until : Math.min(until, caller.expires_at);
    if (epoch === this.#epoch) this.#cache.set(token, { caller, fresh_until });
    return caller;
  }

  async #caller(token: string, address: string): Promise<Caller | undefined> {
    if (token.startsWith(personalPrefix)) return this.#parts.tokens.caller(token, address);
    const claims = await this.#parts.access.verify(token);
    const member = claims && (await this.#parts.store.logins.holderOf(claims.login_id, this.#parts.clock.iso()));
    if (!member || member.id !== claims.member_id || member.version !== claims.version) return undefined;
    this.#parts.logins.recordUse({ id: claims.login_id, used_at: member.used_at }, address);
    return { ...callerOf(member, 'http'), token_id: loginTokenId(claims.login_id), expires_at: claims.expires_at };
  }
}

function withDoor(caller: Caller, door: Door, address: string): Caller {
  return caller.door === door && caller.address === address ? caller : { ...caller, door, address };
}
