import { type Call, type CallCookies, type Caller, type Clock, fail as coreFail, type Log } from '../../kernel/contract/index.js';
import type { AccessTokens } from './access-tokens.js';
import { callerOf, loginOf, loginTokenId, personalTokenOf, requireLogin } from './caller.js';
import { fail } from './codes.js';
import type { Login, LoginRequest, MembersApi } from './contract.js';
import { login_ms } from './cookies.js';
import type { DeviceMarks } from './devices.js';
import type { Attempt, LoginLimit } from './login-limit.js';
import type { LoginRow } from './models.js';
import { clientNetworkOf } from './network.js';
import { digest, hasMark, newId, newMarkedSecret, newSecret } from './opaque.js';
import { assertPassword } from './password-text.js';
import type { Passwords } from './passwords.js';
import { toFullRecord } from './record.js';
import { exchange } from './refresh-tokens.js';
import type { Revocation } from './revocation.js';
import type { Credentials, StoredMember } from './store/members.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';
import { allScopes } from './tokens.js';
import { isUsername } from './username.js';

const use_interval_ms = 5 * 60_000;

/** Origin of a login. */
type Origin = Pick<Call, 'caller' | 'agent' | 'cookies'>;

/** Origin of a new login, which may be a browser's session. */
type LoginOrigin = Origin & { session: LoginRequest['session'] };

/** Stored login without an access token yet. */
interface NewLogin {
  member: StoredMember;
  login: { id: string; rotation: number };
  refresh_token: string;
}

/** New refresh token, and its stored columns. */
interface RefreshToken {
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
  log: Log;
  track: (work: Promise<unknown>) => void;
  /** Names the member in the audit trail, and whether it has proven its identity. */
  about: (member: Pick<StoredMember, 'id' | 'username'>, found: { proven: boolean }) => void;
}

/** Logs members in and out, refreshes logins, and changes passwords. */
export class Logins {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Logs in. A device token or the device's cookie proves that the account was used there before; the answer renews it. */
  async login({ username: input, password, device_token, session }: LoginRequest, origin: Origin): Promise<Login> {
    const cookies = browserOf(session, origin);
    const username = input.normalize('NFKC').trim();
    const { store, devices, about } = this.#parts;
    const credentials = isUsername(username) ? await store.members.credentials(username) : undefined;
    if (credentials) about(credentials, { proven: false });
    const mark = device_token ?? origin.cookies.read('device');
    const { address } = origin.caller;
    const member_id = credentials?.id ?? 0;
    const attempt = { username, member_id, address, device: devices.deviceIn(mark, member_id) };
    // An inactive member is rejected like an unknown one, after the same time.
    const isRight = await this.#checkPassword(attempt, credentials?.active ? credentials.password_hash : undefined, password);
    const started = isRight && credentials ? await this.#createLogin(credentials, { ...origin, session }) : undefined;
    if (!started) throw fail('invalid_credentials', 'Wrong user name or password');
    const renewed = devices.renew(mark, member_id);
    origin.cookies.set('device', renewed);
    return { ...(await this.#toLogin(started, cookies)), ...(device_token === undefined ? {} : { device_token: renewed }) };
  }

  /** Exchanges a refresh token, given or of the browser's cookie; one that is too old ends the login. */
  async refresh({ refresh_token }: MembersApi['auth.refresh']['input'], origin: Origin): Promise<Login> {
    const { cookies } = origin;
    const sent = refresh_token ?? cookies.read('session');
    if (sent === undefined) throw cookies.isOwnPage ? noSession() : noRefreshToken();
    const login = await this.#issuer(sent);
    const renewed = login && (await this.#parts.store.transaction(() => this.#renew(login.id, sent, origin)));
    if (!renewed) throw coreFail('invalid_token', 'The refresh token is not valid: expired, revoked or not issued here');
    if (renewed === 'reused')
      throw fail('refresh_token_reused', 'The refresh token was already used, so the login was ended; log in again');
    return this.#toLogin(renewed, refresh_token === undefined ? cookies : undefined);
  }

  /** Records the use of a login every few minutes; the request doesn't wait for it. */
  recordUse({ id, used_at }: Pick<LoginRow, 'id' | 'used_at'>, address: string): void {
    const { store, clock, log, track } = this.#parts;
    if (clock.now() - Date.parse(used_at) < use_interval_ms) return;
    track(
      store.logins.recordUse(id, { used_at: clock.iso(), address: address.slice(0, 64) }).catch((error: unknown) => {
        log.warn('Could not record the use of a login', { login_id: id, cause: String(error) });
      }),
    );
  }

  /** Returns the caller of a browser's session. Fails with `invalid_token`. */
  async callerOf(refresh_token: string): Promise<Caller> {
    const { store, clock } = this.#parts;
    const login = await this.#issuer(refresh_token);
    const member = login && (await store.logins.holderOf(login.id, clock.iso()));
    if (!member) throw noSession();
    return { ...callerOf(member, 'http'), token_id: loginTokenId(login.id), expires_at: Date.parse(login.expires_at) };
  }

  /** Ends the caller's login or token, and its streams. Deletes the browser's cookie if it belongs to that login. */
  async logout({ member_id, token_id }: Caller, cookies: CallCookies): Promise<{ logged_out: boolean }> {
    const { revocation } = this.#parts;
    const login = loginOf(token_id);
    if (login !== undefined && cookies.isOwnPage && cookies.read('session')?.startsWith(`${login}.`)) cookies.remove('session');
    if (login !== undefined) return { logged_out: await revocation.endLogin(member_id, login, token_id) };
    const token = personalTokenOf(token_id);
    return { logged_out: token !== undefined && (await revocation.revokeToken(member_id, token, token_id)) };
  }

  async me(caller: Caller): Promise<MembersApi['auth.me']['answer']> {
    const scopes = caller.scopes === 'all' ? [...allScopes] : [...caller.scopes];
    const member = await this.#self(caller);
    return { ...toFullRecord(member), scopes, ...(member.first_password && { first_password: true }) };
  }

  /**
   * Checks the caller's own password, limited only by its own failures. Returns the member as of then. Fails with `wrong_password` and
   * `rate_limited`.
   */
  async proveSelf(caller: Caller, password: string): Promise<StoredMember> {
    const member = await this.#self(caller);
    const known = await this.#parts.store.members.credentials(member.username);
    // A member who has logged in is only subject to its own failures.
    const attempt = { username: member.username, member_id: member.id, address: caller.address, device: `member:${member.id}` };
    if (!(await this.#checkPassword(attempt, known?.password_hash, password)) || known?.version !== member.version) throw wrongPassword();
    return member;
  }

  /** Changes the caller's password. Revokes all its tokens and returns new ones. */
  async changePassword(input: MembersApi['auth.password']['input'], origin: Origin): Promise<Login> {
    const { current_password, new_password, session } = input;
    const { store, passwords, revocation } = this.#parts;
    requireLogin(origin.caller);
    const cookies = browserOf(session, origin);
    const { id, version } = await this.proveSelf(origin.caller, current_password);
    assertPassword(new_password, 'new_password');
    const next = await passwords.hash(new_password);
    const started = await store.transaction(async () => {
      const member = await store.members.lock(id);
      // The password may have been changed concurrently; then the verified one is no longer current.
      if (member?.version !== version) throw wrongPassword();
      await store.members.setPassword(id, next);
      await revocation.revokeAll(id);
      return this.#begin({ ...member, version: member.version + 1 }, { ...origin, session });
    });
    return this.#toLogin(started, cookies);
  }

  sweep(): Promise<number> {
    return this.#parts.store.logins.sweep(this.#parts.clock.iso());
  }

  /** Checks a password unless too many checks have failed. The limits are checked before and after, because checks run concurrently. */
  async #checkPassword(attempt: Attempt, hash: string | null | undefined, password: string): Promise<boolean> {
    const { limit, passwords, store } = this.#parts;
    const admitted = await limit.admit(attempt);
    const verdict = await passwords.verify(hash, password, admitted.requester);
    await (verdict === 'wrong' ? limit.recordFailure(admitted) : limit.assertAllowed(admitted));
    if (verdict === 'outdated' && hash) await store.members.rehash(attempt.member_id, hash, await passwords.hash(password));
    return verdict !== 'wrong';
  }

  /** Opens a login after a password check, unless the password was changed meanwhile. */
  async #createLogin({ id, version }: Credentials, origin: LoginOrigin): Promise<NewLogin | undefined> {
    const { store, about } = this.#parts;
    return store.transaction(async () => {
      const member = await store.members.lock(id);
      if (member?.version !== version) return undefined;
      about(member, { proven: true });
      return this.#begin(member, origin);
    });
  }

  /** Returns the valid login that issued a refresh token. A login's id is not secret, so only the token's mark proves it. */
  async #issuer(refresh_token: string): Promise<LoginRow | undefined> {
    const { store, clock } = this.#parts;
    const [id = ''] = refresh_token.split('.', 1);
    const login = await store.logins.byId(id, clock.iso());
    return login && hasMark(login.mark_key, refresh_token.slice(id.length + 1)) ? login : undefined;
  }

  /** Renews a login in a transaction, or ends it because of an old token. Locked, because two tabs may refresh at once. */
  async #renew(id: string, refresh_token: string, origin: Origin): Promise<NewLogin | 'reused' | undefined> {
    const { store, clock, revocation, about } = this.#parts;
    const login = await store.logins.lock(id, clock.iso());
    const member = login && (await store.members.byId(login.member_id));
    if (!member) return undefined;
    about(member, { proven: false });
    const { columns, ...next } = this.#newRefreshToken(login);
    const exchanged = exchange(login, { used: digest(refresh_token), next: columns.refresh_hash, now: clock.now() });
    if (!exchanged) {
      await revocation.endLogin(member.id, id, loginTokenId(id));
      return 'reused';
    }
    const rotation = login.rotation + 1;
    await store.logins.update(id, { ...columns, ...exchanged, ...placeOf(origin), rotation });
    return { member, login: { id, rotation }, ...next };
  }

  async #begin(member: StoredMember, origin: LoginOrigin): Promise<NewLogin> {
    const { store, clock } = this.#parts;
    const identity = { id: newId(), mark_key: newSecret() };
    const { columns, refresh_token } = this.#newRefreshToken(identity);
    const made = { member_id: member.id, rotation: 0, generation: 0, generation_at: null, other_hashes: [], created_at: clock.iso() };
    const place = placeOf(origin);
    const kind = origin.session === 'cookie' ? ('browser' as const) : ('command_line' as const);
    const login = { ...identity, ...made, ...place, ...columns, kind };
    await store.logins.insert(login);
    if (place.address !== '') await store.places.recordUse(member.id, clientNetworkOf(place.address).address, clock.iso());
    return { member, login, refresh_token };
  }

  /** Returns a login's tokens; sets the refresh token as a cookie instead if there are cookies. */
  async #toLogin({ member, login, refresh_token }: NewLogin, cookies: CallCookies | undefined): Promise<Login> {
    const { access_token, expires_in } = await this.#parts.access.sign(member, login);
    cookies?.set('session', refresh_token);
    return { access_token, token_type: 'bearer', expires_in, ...(cookies ? {} : { refresh_token }) };
  }

  #newRefreshToken({ id, mark_key }: Pick<LoginRow, 'id' | 'mark_key'>): RefreshToken {
    const { clock } = this.#parts;
    const refresh_token = `${id}.${newMarkedSecret(mark_key)}`;
    const columns = { refresh_hash: digest(refresh_token), used_at: clock.iso(), expires_at: isoAfter(clock.now(), login_ms) };
    return { refresh_token, columns };
  }

  async #self({ member_id }: Caller): Promise<StoredMember> {
    const member = await this.#parts.store.members.byId(member_id);
    if (!member) throw fail('member_not_found', `There is no member ${member_id}`);
    return member;
  }
}

/** Returns the columns of a login that say where it was used. */
function placeOf({ caller, agent }: Origin): Pick<LoginRow, 'address' | 'agent'> {
  return { address: caller.address.slice(0, 64), agent: printable(agent) };
}

/** Returns the cookies if the login is for a browser's session. Fails with `origin_refused` unless a page of the platform asks. */
function browserOf(session: LoginRequest['session'], { cookies }: Origin): CallCookies | undefined {
  if (session === undefined) return undefined;
  cookies.assertOwnPage();
  return cookies;
}

function wrongPassword() {
  return fail('wrong_password', 'The current password is wrong');
}

function noSession() {
  return coreFail('invalid_token', 'The browser has no valid session here, or several session cookies; log in again');
}

function noRefreshToken() {
  const message = '"refresh_token" is required';
  return coreFail('invalid_input', `The input is not valid: ${message}`, { details: [{ path: 'refresh_token', message }] });
}

/** Removes control characters, because PostgreSQL doesn't accept NUL. */
function printable(agent: string): string {
  return agent.replace(/\p{Cc}/gu, ' ').slice(0, 200);
}
