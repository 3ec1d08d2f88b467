import type { Caller, Clock } from '../../kernel/contract/index.js';
import { loginOf, loginTokenId, personalTokenId, personalTokenOf, requireLogin } from './caller.js';
import { fail } from './codes.js';
import type { Session } from './contract.js';
import { deviceName } from './device-name.js';
import type { Revocation } from './revocation.js';
import type { ListedLogin } from './store/logins.js';
import type { ListedToken } from './store/tokens.js';
import type { Store } from './store.js';

const tokenPrefix = 'token-';

interface Parts {
  store: Store;
  revocation: Revocation;
  clock: Clock;
}

/** Lists and ends a member's logins and personal tokens. */
export class Sessions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the caller's logins, the latest use first, then its personal tokens. */
  async list({ member_id, token_id }: Caller): Promise<Session[]> {
    const [logins, tokens] = await this.#of(member_id);
    return [
      ...logins.map((login) => ofLogin(login, loginOf(token_id) === login.id)),
      ...tokens.map((token) => ofToken(token, personalTokenOf(token_id) === token.id)),
    ];
  }

  /** Ends one of the caller's sessions, with its streams and sockets on all instances. */
  async end(id: string, caller: Caller): Promise<undefined> {
    requireLogin(caller);
    const { store, revocation } = this.#parts;
    const { member_id } = caller;
    const token = tokenIn(id);
    // One transaction, so that a failed revocation leaves no trace, not even in the audit trail.
    await store.transaction(async () => {
      const ended =
        token === undefined
          ? await revocation.endLogin(member_id, id, loginTokenId(id))
          : await revocation.revokeToken(member_id, token, personalTokenId(token));
      if (!ended) throw fail('login_not_found', 'You have no session with this id');
    });
  }

  /** Ends all of the caller's logins, those of the command line too. Other personal tokens stay, because scripts use them. */
  async endAll({ keep_current = false }: { keep_current?: boolean }, caller: Caller): Promise<{ ended: number }> {
    requireLogin(caller);
    const { store, revocation } = this.#parts;
    const { member_id, token_id } = caller;
    return store.transaction(async () => {
      // A login that starts at the same time waits, and stays.
      await store.members.lock(member_id);
      const [logins, tokens] = await this.#of(member_id);
      const ended = [
        ...logins.map(({ id }) => loginTokenId(id)),
        ...tokens.filter(({ kind }) => kind === 'command_line').map(({ id }) => personalTokenId(id)),
      ].filter((each) => !keep_current || each !== token_id);
      await revocation.endSome(member_id, ended);
      return { ended: ended.length };
    });
  }

  async #of(member_id: number): Promise<[ListedLogin[], ListedToken[]]> {
    const { store, clock } = this.#parts;
    const now = clock.iso();
    return [await store.logins.of(member_id, now), await store.tokens.validOf(member_id, now)];
  }
}

function ofLogin({ id, kind, agent, address, created_at, used_at }: ListedLogin, current: boolean): Session {
  return { id, kind, device: deviceName(agent), address, created_at, last_used_at: used_at, current };
}

function ofToken({ id, kind, name, address, created_at, last_used_at }: ListedToken, current: boolean): Session {
  return { id: `${tokenPrefix}${id}`, kind, device: name, address, created_at, last_used_at, current };
}

/** Returns the number of the personal token that a session's id names; logins have ids of 22 characters. */
function tokenIn(id: string): number | undefined {
  const digits = /^token-([1-9]\d{0,8})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
