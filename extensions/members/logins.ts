import { type Call, type Caller, type Clock, fail as coreFail } from '../../kernel/contract/index.js';
import type { AccessTokens } from './access-tokens.js';
import { loginOf, loginTokenId, personalTokenOf, requireLogin } from './caller.js';
import { fail } from './codes.js';
import type { Login, LoginRequest, MembersApi } from './contract.js';
import type { DeviceMarks } from './devices.js';
import type { Attempt, LoginLimit } from './login-limit.js';
import type { LoginRow } from './models.js';
import { placeOf } from './network.js';
import { digest, isMarked, newId, newMarked, newSecret } from './opaque.js';
import { assertPassword } from './password-text.js';
import type { Passwords } from './passwords.js';
import type { Revocation } from './revocation.js';
import { record } from './service.js';
import type { Credentials, StoredMember } from './store/members.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';
import { allScopes } from './tokens.js';
import { isUsername } from './username.js';

const lifetime_ms = 30 * 24 * 3_600_000;

/** Where a login comes from. */
type Origin = Pick<Call, 'caller' | 'agent' | 'cookie'>;

/** A login that stands in the database and has no access token yet. */
interface Begun {
  member: StoredMember;
  login: { id: string; rotation: number };
  refresh_token: string;
}

/** A new refresh token, and what of it is stored. */
interface Renewed {
  refresh_token: string;
  columns: Pick<LoginRow, 'refresh_hash' | 'used_at' | 'expires_at'>;
}

interface Parts {
  store: Store;
  passwords: Passwords;
  limit: LoginLimit;
  devices: DeviceMarks;
  access: AccessTokens;
  revocation: Revocation;
  clock: Clock;
  /** Tells the audit trail whom it is about, and whether that is who asks. */
  about: (member: Pick<StoredMember, 'id' | 'username'>, found: { proven: boolean }) => void;
}

/** Logging in and out, staying logged in, changing one's own password. */
export class Logins {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A device token or the device's cookie shows that the account was used there before; the answer renews it. */
  async login({ username: given, password, device_token }: LoginRequest, origin: Origin): Promise<Login> {
    const username = given.normalize('NFKC').trim();
    const { store, devices, about } = this.#parts;
    const known = isUsername(username) ? await store.members.credentials(username) : undefined;
    if (known) about(known, { proven: false });
    const mark = device_token ?? origin.cookie?.sent;
    const { address } = origin.caller;
    const member_id = known?.id ?? 0;
    const attempt = { username, member_id, address, device: devices.deviceOf(mark, member_id) };
    // An inactive member is refused as an unknown one is, after the same time.
    const right = await this.#guarded(attempt, known?.active ? known.password_hash : undefined, password);
    const begun = right && known ? await this.#open(known, origin) : undefined;
    if (!begun) throw fail('invalid_credentials', 'The user name or the password is wrong');
    const renewed = devices.renew(mark, member_id);
    origin.cookie?.set(renewed);
    return { ...(await this.#answer(begun)), ...(device_token === undefined ? {} : { device_token: renewed }) };
  }

  /**
   * Gives new tokens for a refresh token; one that was used before ends the login. A login's id is no secret,
   * so that a token is looked at for its mark before it ends anything.
   */
  async refresh(refresh_token: string): Promise<Login> {
    const { store, clock, revocation, about } = this.#parts;
    const [id = ''] = refresh_token.split('.', 1);
    const login = await store.logins.byId(id, clock.iso());
    const issued = login && isMarked(login.mark_key, refresh_token.slice(id.length + 1));
    const member = issued && (await store.members.byId(login.member_id));
    if (!member) throw coreFail('invalid_token', 'The refresh token is not valid: it has ended, was revoked, or was never given out here');
    about(member, { proven: false });
    const next = this.#renewed(login);
    const current = login.refresh_hash === digest(refresh_token);
    if (!current || !(await store.logins.rotate(login, next.columns))) {
      await revocation.endLogin(member.id, id, loginTokenId(id));
      throw fail('refresh_token_reused', 'The refresh token was used before, so that the login was ended; log in again');
    }
    return this.#answer({ member, login: { id, rotation: login.rotation + 1 }, refresh_token: next.refresh_token });
  }

  /** Ends what the caller authenticated with, and whatever streams run on it. */
  async logout({ member_id, token_id }: Caller): Promise<{ logged_out: boolean }> {
    const { revocation } = this.#parts;
    const login = loginOf(token_id);
    if (login !== undefined) return { logged_out: await revocation.endLogin(member_id, login, token_id) };
    const token = personalTokenOf(token_id);
    return { logged_out: token !== undefined && (await revocation.endToken(member_id, token, token_id)) };
  }

  async me(caller: Caller): Promise<MembersApi['auth.me']['answer']> {
    const scopes = caller.scopes === 'all' ? [...allScopes] : [...caller.scopes];
    return { ...record(await this.#self(caller)), scopes };
  }

  /** Changes one's own password. Ends all one's tokens and gives new ones. */
  async changePassword({ current_password, new_password }: MembersApi['auth.password']['input'], origin: Origin): Promise<Login> {
    const { store, passwords, revocation } = this.#parts;
    requireLogin(origin.caller);
    const { id, username } = await this.#self(origin.caller);
    const known = await store.members.credentials(username);
    // A member who has logged in is held to its own failures alone.
    const attempt = { username, member_id: id, address: origin.caller.address, device: `member:${id}` };
    const right = await this.#guarded(attempt, known?.password_hash, current_password);
    assertPassword(new_password, 'new_password');
    const next = await passwords.hash(new_password);
    const begun = await store.transaction(async () => {
      const member = await store.members.hold(id);
      // Another change may have come while the passwords were hashed; then the one that was checked is no longer the current one.
      if (!right || !member || member.version !== known?.version) throw fail('wrong_password', 'The current password is wrong');
      await store.members.setPassword(id, next);
      await revocation.endAll(id);
      return this.#begin({ ...member, version: member.version + 1 }, origin);
    });
    return this.#answer(begun);
  }

  sweep(): Promise<number> {
    return this.#parts.store.logins.sweep(this.#parts.clock.iso());
  }

  /** Checks a password unless too many checks have failed; looked at before and after, since many may run at once. */
  async #guarded(attempt: Attempt, hash: string | null | undefined, password: string): Promise<boolean> {
    const { limit, passwords, store } = this.#parts;
    const admitted = await limit.admit(attempt);
    const verdict = await passwords.verify(hash, password, admitted.asker);
    await (verdict === 'wrong' ? limit.failed(admitted) : limit.check(admitted));
    if (verdict === 'outdated' && hash) await store.members.rehash(attempt.member_id, hash, await passwords.hash(password));
    return verdict !== 'wrong';
  }

  /** A login of a member whose password was checked, unless it was changed while it was being checked. */
  async #open({ id, version }: Credentials, origin: Origin): Promise<Begun | undefined> {
    const { store, about } = this.#parts;
    return store.transaction(async () => {
      const member = await store.members.hold(id);
      if (member?.version !== version) return undefined;
      about(member, { proven: true });
      return this.#begin(member, origin);
    });
  }

  async #begin(member: StoredMember, { caller, agent }: Origin): Promise<Begun> {
    const { store, clock } = this.#parts;
    const born = { id: newId(), mark_key: newSecret() };
    const { columns, refresh_token } = this.#renewed(born);
    const address = caller.address.slice(0, 64);
    const login = { ...born, member_id: member.id, rotation: 0, address, agent: printable(agent), created_at: clock.iso(), ...columns };
    await store.logins.insert(login);
    if (address !== '') await store.places.used(member.id, placeOf(address).address, clock.iso());
    return { member, login, refresh_token };
  }

  async #answer({ member, login, refresh_token }: Begun): Promise<Login> {
    const { access_token, expires_in } = await this.#parts.access.sign(member, login);
    return { access_token, token_type: 'bearer', expires_in, refresh_token };
  }

  #renewed({ id, mark_key }: Pick<LoginRow, 'id' | 'mark_key'>): Renewed {
    const { clock } = this.#parts;
    const refresh_token = `${id}.${newMarked(mark_key)}`;
    const columns = { refresh_hash: digest(refresh_token), used_at: clock.iso(), expires_at: isoAfter(clock.now(), lifetime_ms) };
    return { refresh_token, columns };
  }

  async #self({ member_id }: Caller): Promise<StoredMember> {
    const member = await this.#parts.store.members.byId(member_id);
    if (!member) throw fail('member_not_found', `There is no member ${member_id}`);
    return member;
  }
}

/** PostgreSQL refuses NUL in text. */
function printable(agent: string): string {
  return agent.replace(/\p{Cc}/gu, ' ').slice(0, 200);
}
