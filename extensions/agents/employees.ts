import type { Database } from '../../kernel/contract/index.js';
import type { MembersService, VirtualMember } from '../members/contract.js';
import { fail } from './codes.js';

/** Which AI employee answers where a session names none. */
export class Employees {
  readonly #db: Database;
  readonly #members: MembersService;

  constructor(db: Database, members: MembersService) {
    this.#db = db;
    this.#members = members;
  }

  /**
   * Makes the default AI employee, at the first start alone: deleted, it doesn't come back. Of several
   * instances that start at once the others wait at the row's key for the first one's commit.
   */
  async prepare(): Promise<void> {
    await this.#db.transaction(async () => {
      const first = await this.#db.run('INSERT INTO agents_default (id, member_id) VALUES (1, NULL) ON CONFLICT DO NOTHING');
      if (first === 0) return;
      const { id } = await this.#members.createVirtual({ name: 'Assistant', post: 'General assistant', mode: 'assistant' });
      await this.#db.run('UPDATE agents_default SET member_id = $1', [id]);
    });
  }

  /** The default AI employee; where it is gone, the oldest that there is. Fails with `no_ai_employee`. */
  async default(): Promise<number> {
    const [row] = await this.#db.rows<{ member_id: number | null }>('SELECT member_id FROM agents_default');
    if (typeof row?.member_id === 'number') return row.member_id;
    const [oldest] = await this.#members.virtuals();
    if (!oldest) throw fail('no_ai_employee', 'There is no AI employee; an administrator can make one (POST /api/members/virtual)');
    return oldest.id;
  }

  get(id: number): Promise<VirtualMember | undefined> {
    return this.#members.virtual(id);
  }

  /** Inside the transaction that removes the member. */
  async forget(member_id: number): Promise<void> {
    await this.#db.run('UPDATE agents_default SET member_id = NULL WHERE member_id = $1', [member_id]);
  }
}
