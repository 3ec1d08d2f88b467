import { type Caller, type Context, fail as coreFail } from '../../kernel/contract/index.js';
import type { AccountLimit } from './account-limit.js';
import { requireLogin } from './caller.js';
import { fail } from './codes.js';
import type { DeviceLogin, Members } from './contract.js';
import { DeviceError } from './device-error.js';
import type { DeviceCodeRow } from './models.js';
import { clientNetworkOf } from './network.js';
import { digest, newSecret } from './opaque.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';
import type { Tokens } from './tokens.js';
import { newUserCode, normalUserCode } from './user-code.js';

/** Lifetime of a code, in seconds. */
const ttl_s = 600;
const interval_s = 5;
/** Added to the interval of a program that asks too often (RFC 8628, section 3.5). */
const slower_s = 5;
const max_interval_s = 60;
/** Clocks and networks are not exact. */
const tolerance_ms = 1_000;
/** Limits of valid codes: of a client's network, and of all. */
const max_of_network = 50;
const max_open = 10_000;
/** Retention of an expired code, so that its program learns why it gets no token. */
const retention_ms = 600_000;

/** Answer to a program that wants to log in (RFC 8628, section 3.2). */
export interface DeviceCode {
  device_code: string;
  user_code: string;
  expires_in: number;
  interval: number;
}

interface Parts {
  store: Store;
  tokens: Tokens;
  limit: AccountLimit;
  ctx: Pick<Context<Members>, 'about' | 'clock' | 'log'>;
}

/**
 * Logs in programs on machines without a browser: the program shows a code, a member confirms it in a browser, and the program gets a
 * personal token (RFC 8628). Only hashes of codes are stored, and the token is created when the program fetches it.
 */
export class DeviceLogins {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Issues the codes of a program on a machine of that name. */
  async start(name: string, { address }: Pick<Caller, 'address'>): Promise<DeviceCode> {
    const { store, ctx } = this.#parts;
    const { network } = clientNetworkOf(address);
    const now = ctx.clock.iso();
    if ((await store.deviceCodes.count(now, network)) >= max_of_network || (await store.deviceCodes.count(now)) >= max_open)
      throw coreFail('rate_limited', 'Too many programs are logging in; try again in a few minutes', { retry_after: 60 });
    const [device_code, user_code] = [newSecret(), newUserCode()];
    await store.deviceCodes.insert({
      device_hash: digest(device_code),
      user_hash: digest(user_code),
      name,
      address: address.slice(0, 64),
      network,
      state: 'pending',
      member_id: null,
      version: null,
      interval_s,
      polled_at: null,
      created_at: now,
      expires_at: isoAfter(ctx.clock.now(), ttl_s * 1_000),
    });
    return { device_code, user_code, expires_in: ttl_s, interval: interval_s };
  }

  /** Returns the token of a confirmed login, once. Fails with a {@link DeviceError} otherwise. */
  async poll(device_code: string): Promise<string> {
    const { store, ctx } = this.#parts;
    const hash = digest(device_code);
    const outcome = await store.transaction(async () => {
      const found = await store.deviceCodes.byDevice(hash);
      if (!found) return 'invalid_grant';
      if (found.expires_at <= ctx.clock.iso()) return 'expired_token';
      if (found.state === 'pending') return this.#tooEarly(found);
      if (found.state === 'approved') return { token: await this.#redeem(hash) };
      await store.deviceCodes.delete(hash);
      return 'access_denied';
    });
    if (typeof outcome === 'string') throw new DeviceError(outcome);
    if (outcome.token === undefined) throw new DeviceError('access_denied');
    return outcome.token;
  }

  /** Shows who asks with a code. A wrong code counts against the caller. Fails with `device_code_not_found` and `rate_limited`. */
  async show(user_code: string, caller: Caller): Promise<DeviceLogin> {
    requireLogin(caller);
    return toDeviceLogin(await this.#pending(user_code, caller));
  }

  /** Confirms or refuses a login. A wrong code counts against the caller. Fails with `device_code_not_found` and `rate_limited`. */
  async confirm(
    { user_code, decision }: { user_code: string; decision: 'approve' | 'deny' },
    caller: Caller,
  ): Promise<DeviceLogin & { decision: 'approve' | 'deny' }> {
    requireLogin(caller);
    const { store, tokens, ctx } = this.#parts;
    const found = await this.#pending(user_code, caller);
    const isApproved = decision === 'approve';
    await store.transaction(async () => {
      // Lock the member, so that a revocation of all its tokens at the same time applies to this one, too.
      const member = await store.members.lock(caller.member_id);
      if (!member?.active) throw coreFail('invalid_token', 'The login has ended');
      if (isApproved) await tokens.assertRoom(member.id);
      ctx.about(found.name);
      const decided = isApproved
        ? ({ state: 'approved', member_id: member.id, version: member.version } as const)
        : ({ state: 'denied', member_id: null, version: null } as const);
      if (!(await store.deviceCodes.decide(found.user_hash, ctx.clock.iso(), decided))) throw unknownCode();
    });
    return { ...toDeviceLogin(found), decision };
  }

  sweep(): Promise<number> {
    return this.#parts.store.deviceCodes.sweep(isoAfter(this.#parts.ctx.clock.now(), -retention_ms));
  }

  async #pending(user_code: string, { member_id }: Caller): Promise<DeviceCodeRow> {
    const { store, limit, ctx } = this.#parts;
    const hash = digest(normalUserCode(user_code));
    const found = await limit.attempt('device code', member_id, () => store.deviceCodes.pending(hash, ctx.clock.iso()));
    if (!found) throw unknownCode();
    return found;
  }

  /** Records that a program asked before anybody decided; returns what it is told. */
  async #tooEarly({ device_hash, polled_at, interval_s: interval }: DeviceCodeRow): Promise<'authorization_pending' | 'slow_down'> {
    const { store, ctx } = this.#parts;
    const isTooSoon = polled_at !== null && ctx.clock.now() - Date.parse(polled_at) < interval * 1_000 - tolerance_ms;
    const next = isTooSoon ? Math.min(interval + slower_s, max_interval_s) : interval;
    await store.deviceCodes.recordPoll(device_hash, { polled_at: ctx.clock.iso(), interval_s: next });
    return isTooSoon ? 'slow_down' : 'authorization_pending';
  }

  /** Creates the token of an approved login; undefined if the member's access has changed since. */
  async #redeem(device_hash: string): Promise<string | undefined> {
    const { store, tokens, ctx } = this.#parts;
    const taken = await store.deviceCodes.take(device_hash, ctx.clock.iso());
    const member = taken?.member_id == null ? undefined : await store.members.lock(taken.member_id);
    if (!taken || !member?.active || member.version !== taken.version) return undefined;
    const token = await tokens.issue(member.id, taken);
    ctx.log.info('A program was logged in by a code', { member_id: member.id, name: taken.name });
    return token;
  }
}

function toDeviceLogin({ name, address, created_at, expires_at }: DeviceCodeRow): DeviceLogin {
  return { name, address, created_at, expires_at };
}

function unknownCode() {
  return fail('device_code_not_found', 'No program waits with this code: it is wrong, was used, or is older than ten minutes');
}
