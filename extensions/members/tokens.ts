import { type Call, type Caller, type Clock, fail as coreFail, type Log, type Scope } from '../../kernel/contract/index.js';
import { callerOf, personalTokenId, requireLogin } from './caller.js';
import { fail } from './codes.js';
import type { CreatedToken, NewToken, PersonalToken, SessionKind } from './contract.js';
import { isCredentialValid } from './credential-validity.js';
import { digest, newSecret } from './opaque.js';
import type { Revocation } from './revocation.js';
import type { ValidToken } from './store/tokens.js';
import type { Store } from './store.js';
import { isoAfter, readTimestamp } from './timestamp.js';

/** Prefix of personal tokens, so that scanners for leaked secrets recognise them. */
export const personalPrefix = 'plat_';
export const allScopes: readonly Scope[] = ['read', 'chat', 'admin'];

/** `User-Agent` of `platform login`. */
const loginAgent = 'platform-cli';

const max_per_member = 100;
const last_used_interval_ms = 60_000;
/** Retention of an expired token in the list. */
const retention_ms = 30 * 24 * 3_600_000;

interface Parts {
  store: Store;
  revocation: Revocation;
  clock: Clock;
  log: Log;
  track: (work: Promise<unknown>) => void;
  /** Names the token in the audit trail. */
  about: (id: number) => void;
}

/** Manages personal tokens: named, shown once, for scripts and command lines. */
export class Tokens {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(caller: Caller): Promise<PersonalToken[]> {
    return this.#parts.store.tokens.of(caller.member_id);
  }

  async create({ name, scopes, expires_at }: NewToken, { caller, agent }: Pick<Call, 'caller' | 'agent'>): Promise<CreatedToken> {
    requireLogin(caller);
    const { store, clock, about } = this.#parts;
    const expiry = expires_at == null ? null : this.#future(expires_at);
    const token = `${personalPrefix}${newSecret()}`;
    const record = { name, scopes: [...new Set(scopes ?? allScopes)], created_at: clock.iso(), expires_at: expiry, last_used_at: null };
    const created = await store.transaction(async () => {
      // Lock the member, so that a token created while all its tokens are revoked is revoked too, or not created.
      const member = await store.members.lock(caller.member_id);
      if (!member || !(await isCredentialValid(store, caller.token_id, clock.iso())))
        throw coreFail('invalid_token', 'The login has ended');
      await this.assertRoom(caller.member_id);
      const owner = {
        member_id: caller.member_id,
        hash: digest(token),
        kind: kindOf({ caller, agent }),
        address: caller.address.slice(0, 64),
      };
      const inserted = await store.tokens.insert(owner, record);
      about(inserted.id);
      return inserted;
    });
    return { ...created, token };
  }

  /** Fails with `token_limit_reached` if a member has as many tokens as it may. */
  async assertRoom(member_id: number): Promise<void> {
    if ((await this.#parts.store.tokens.of(member_id)).length >= max_per_member)
      throw fail('token_limit_reached', `A member has at most ${max_per_member} personal tokens; delete one that is no longer needed`);
  }

  /** Creates the token of a command line that a member has logged in elsewhere, within a transaction that has locked the member. */
  async issue(member_id: number, { name, address }: { name: string; address: string }): Promise<string> {
    const { store, clock } = this.#parts;
    await this.assertRoom(member_id);
    const token = `${personalPrefix}${newSecret()}`;
    const owner = { member_id, hash: digest(token), kind: 'command_line' as const, address: address.slice(0, 64) };
    await store.tokens.insert(owner, { name, scopes: [...allScopes], created_at: clock.iso(), expires_at: null, last_used_at: null });
    return token;
  }

  async delete(id: number, caller: Caller): Promise<undefined> {
    requireLogin(caller);
    const { store, revocation } = this.#parts;
    // One transaction, so that a failed revocation leaves no trace, not even in the audit trail.
    await store.transaction(async () => {
      const ended = await revocation.revokeToken(caller.member_id, id, personalTokenId(id));
      if (!ended) throw fail('token_not_found', `You have no personal token ${id}`);
    });
  }

  /** Returns the caller of a valid personal token. */
  async caller(token: string, address: string): Promise<Caller | undefined> {
    const found = await this.#parts.store.tokens.valid(digest(token), this.#parts.clock.iso());
    if (!found) return undefined;
    this.#recordUse(found, address);
    const expires_at = found.expires_at === null ? 0 : Date.parse(found.expires_at);
    return { ...callerOf(found, 'http'), scopes: found.scopes, token_id: personalTokenId(found.token_id), expires_at };
  }

  sweep(): Promise<number> {
    return this.#parts.store.tokens.sweep(isoAfter(this.#parts.clock.now(), -retention_ms));
  }

  /** Records the use, rounded to the minute; the request doesn't wait for it. */
  #recordUse({ token_id, last_used_at }: ValidToken, address: string): void {
    const { store, clock, log, track } = this.#parts;
    if (last_used_at !== null && clock.now() - Date.parse(last_used_at) < last_used_interval_ms) return;
    track(
      store.tokens.recordUse(token_id, { last_used_at: clock.iso(), address: address.slice(0, 64) }).catch((error: unknown) => {
        log.warn('Could not record the use of a personal token', { token_id, cause: String(error) });
      }),
    );
  }

  #future(text: string): string {
    const time = readTimestamp(text);
    if (time !== undefined && time > this.#parts.clock.iso()) return time;
    const message = time === undefined ? `'${text}' is not an ISO 8601 time` : `${time} is past`;
    throw coreFail('invalid_input', `expires_at must be in the future: ${message}`, { details: [{ path: 'expires_at', message }] });
  }
}

/** Returns the kind of session of a new token. The program sends this name only while it logs in. */
function kindOf({ caller, agent }: Pick<Call, 'caller' | 'agent'>): SessionKind {
  return caller.door === 'http' && agent === loginAgent ? 'command_line' : 'token';
}
