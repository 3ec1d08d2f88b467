import { type Caller, fail as coreFail } from '../../kernel/contract/index.js';
import type { Me } from './contract.js';
import type { Logins } from './logins.js';
import { type MemberRules, members_lock } from './service.js';
import type { Store } from './store.js';

interface Parts {
  store: Store;
  logins: Logins;
  rules: MemberRules;
}

/** Changes members' own e-mail addresses. */
export class OwnEmail {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sets or removes the caller's address after its password was checked: whoever reads its mail can replace the password. */
  async set({ email, password }: { email: string | null; password: string }, caller: Caller): Promise<Me> {
    const { store, logins, rules } = this.#parts;
    const { id, version } = await logins.proveSelf(caller, password);
    await store.exclusive(members_lock, async () => {
      const member = await rules.stored(id);
      if (member.version !== version) throw coreFail('invalid_token', 'The login has ended');
      await rules.changeEmail(member, email);
    });
    return logins.me(caller);
  }
}
