import type { MembersService } from '../members/contract.js';
import { fail } from './codes.js';
import type { Store } from './store.js';

/** Chooses the AI employee that answers if a session names none. */
export class Employees {
  readonly #store: Store;
  readonly #members: MembersService;

  constructor(store: Store, members: MembersService) {
    this.#store = store;
    this.#members = members;
  }

  /**
   * Creates the default AI employee at the first start only: once deleted, it doesn't come back. If several instances
   * start at once, the others wait on the row's key until the first one commits.
   */
  async prepare(): Promise<void> {
    await this.#store.transaction(async () => {
      if (!(await this.#store.begin())) return;
      const { id } = await this.#members.createVirtual({ name: 'Assistant', post: 'General assistant', mode: 'assistant' });
      await this.#store.setDefault(id);
    });
  }

  /** Returns the default AI employee; if it is deleted or inactive, the oldest active one. Fails with `no_ai_employee`. */
  async default(): Promise<number> {
    const id = await this.#store.default();
    if (id !== undefined && (await this.#members.get(id))?.active) return id;
    const oldest = (await this.#members.virtuals()).find(({ active }) => active);
    if (!oldest)
      throw fail('no_ai_employee', 'There is no active AI employee; an administrator can create one (POST /api/members/virtual)');
    return oldest.id;
  }

  /** Forgets a member inside the transaction that removes it. */
  async forget(member_id: number): Promise<void> {
    await this.#store.forget(member_id);
  }
}
