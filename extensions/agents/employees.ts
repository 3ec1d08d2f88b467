import type { MembersService } from '../members/contract.js';
import { fail } from './codes.js';
import type { Store } from './store.js';

/** Which AI employee answers where a session names none. */
export class Employees {
  readonly #store: Store;
  readonly #members: MembersService;

  constructor(store: Store, members: MembersService) {
    this.#store = store;
    this.#members = members;
  }

  /**
   * Makes the default AI employee, at the first start alone: deleted, it doesn't come back. Of several
   * instances that start at once the others wait at the row's key for the first one's commit.
   */
  async prepare(): Promise<void> {
    await this.#store.transaction(async () => {
      if (!(await this.#store.begin())) return;
      const { id } = await this.#members.createVirtual({ name: 'Assistant', post: 'General assistant', mode: 'assistant' });
      await this.#store.setDefault(id);
    });
  }

  /** The default AI employee; if it is gone or inactive, the oldest active one. Fails with `no_ai_employee`. */
  async default(): Promise<number> {
    const id = await this.#store.default();
    if (id !== undefined && (await this.#members.get(id))?.active) return id;
    const oldest = (await this.#members.virtuals()).find(({ active }) => active);
    if (!oldest) throw fail('no_ai_employee', 'There is no AI employee; an administrator can make one (POST /api/members/virtual)');
    return oldest.id;
  }

  /** Inside the transaction that removes the member. */
  async forget(member_id: number): Promise<void> {
    await this.#store.forget(member_id);
  }
}
