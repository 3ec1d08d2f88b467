import type { Kernel } from '../../../kernel/boot/kernel.js';
import type { Caller } from '../../../kernel/contract/operation.js';
import type { As } from './contract.js';

const nobody: Caller = {
  member_id: 0,
  username: '',
  role: 'member',
  scopes: 'all',
  door: 'direct',
  address: '',
  token_id: '',
  expires_at: 0,
};

/** Creates and logs in the members of a test platform. All have the same password. */
export class People {
  readonly #kernel: Kernel;
  readonly #password: string;
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(kernel: Kernel, password: string) {
    this.#kernel = kernel;
    this.#password = password;
  }

  async add(username: string, role: 'admin' | 'member' = 'member'): Promise<number> {
    const admin = await this.#kernel.localCaller('direct');
    const { body } = await this.#kernel.invoke('members.create', { username, role, password: this.#password }, admin);
    return (body as { id: number }).id;
  }

  async caller(as: As): Promise<Caller> {
    const token = await this.token(as);
    return token === undefined ? nobody : this.#kernel.tokenCaller(token, 'direct');
  }

  /** Returns a member's token; undefined for `nobody`. */
  async token(as: As): Promise<string | undefined> {
    if (as === 'nobody') return undefined;
    const token = this.#tokens.get(as) ?? this.#logIn(as);
    this.#tokens.set(as, token);
    return token;
  }

  async #logIn(username: As): Promise<string> {
    // Created on first use: many tests need only the administrator.
    if (username === 'member') await this.add(username);
    const { body } = await this.#kernel.invoke('auth.login', { username, password: this.#password }, nobody);
    return (body as { access_token: string }).access_token;
  }
}
