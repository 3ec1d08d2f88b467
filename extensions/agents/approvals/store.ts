import type { WhereOptions } from 'sequelize';
import { type Caller, type Database, databaseNow, Op, placeholders, type SqlValue } from '../../../kernel/contract/index.js';
import { decidable, holdApprovals, overApprovals, settleApproval, settleOverApprovals } from '../agents-sql.js';
import type { Approval, ApprovalStatus } from '../contract.js';
import type { ApprovalRow, Models } from '../models.js';

/** The run that asks, and those who may decide. */
export interface Asking extends Pick<ApprovalRow, 'owner' | 'scopes'> {
  deciders: readonly number[];
}

/** How an approval stops being open. */
export interface Settlement extends Pick<ApprovalRow, 'reason' | 'decided_by' | 'decided_by_name'> {
  status: Exclude<ApprovalStatus, 'pending'>;
  now: string;
}

/** One that is open no longer than until somebody looks. */
export interface Over {
  id: string;
  /** Its time is up; otherwise nobody waits for it. */
  isExpired: boolean;
}

export interface ApprovalQuery {
  status?: ApprovalStatus | undefined;
  limit: number;
  offset: number;
}

const visible = {
  attributes: { exclude: ['owner', 'lease_until', 'scopes'] satisfies (keyof ApprovalRow)[] as string[] },
  raw: true,
};

/** Approvals removed at a time, so that other writers get their turn in between. */
const portion = 500;

/** Tables `agents_approvals` and `agents_approval_deciders`. Leases are in the database's own time. */
export class ApprovalStore {
  readonly #db: Database;
  readonly #model: Models['approvals'];
  readonly #deciders: Models['deciders'];
  readonly #now: string;

  constructor(db: Database, { approvals, deciders }: Pick<Models, 'approvals' | 'deciders'>) {
    this.#db = db;
    this.#model = approvals;
    this.#deciders = deciders;
    this.#now = databaseNow(db);
  }

  async insert(approval: Approval, { owner, deciders, scopes }: Asking): Promise<void> {
    const { id: approval_id, created_at } = approval;
    await this.#db.transaction(async () => {
      await this.#model.create({ ...approval, owner, scopes, lease_until: 0 });
      await this.hold([approval_id]);
      await this.#deciders.bulkCreate(deciders.map((member_id) => ({ member_id, approval_id, created_at })));
    });
  }

  /** One that the member may decide. */
  async find(id: string, member_id: number): Promise<Approval | undefined> {
    return (await this.#deciders.count({ where: { approval_id: id, member_id } })) > 0 ? this.get(id) : undefined;
  }

  /** Those of the run that asks; all if there is no such approval. */
  async scopesOf(id: string): Promise<Caller['scopes']> {
    return (await this.#model.findOne({ attributes: ['scopes'], where: { id }, raw: true }))?.scopes ?? 'all';
  }

  async get(id: string): Promise<Approval | undefined> {
    return (await this.#model.findOne({ ...visible, where: { id } })) ?? undefined;
  }

  /** Those that the member may decide, the latest first. */
  list(member_id: number, { status, limit, offset }: ApprovalQuery): Promise<Approval[]> {
    return this.#rows(decidable(status !== undefined), [member_id, limit, offset, ...(status ? [status] : [])]);
  }

  /** Ends an open one, before its time is up; undefined if it was not open any more. */
  async settle(id: string, { status, reason, decided_by, decided_by_name, now }: Settlement): Promise<Approval | undefined> {
    const [settled] = await this.#rows(settleApproval, [status, reason, decided_by, decided_by_name, now, id]);
    return settled;
  }

  /** Holds those that a run waits for; gives those that are still open. */
  async hold(ids: readonly string[]): Promise<string[]> {
    return (await this.#db.rows<{ id: string }>(holdApprovals(this.#now, placeholders(ids)), ids)).map(({ id }) => id);
  }

  /** At most 500 open ones whose time is up, or for which nobody waits. `alone`: only this owner can wait. */
  async over(now: string, alone: string | undefined): Promise<Over[]> {
    const values = alone === undefined ? [now] : [now, alone];
    const rows = await this.#db.rows<Pick<Approval, 'id' | 'expires_at'>>(overApprovals(this.#now, alone), values);
    return rows.map(({ id, expires_at }) => ({ id, isExpired: expires_at <= now }));
  }

  /** Ends those of them that are still over, and gives these. */
  settleOver(ids: readonly string[], now: string, alone: string | undefined): Promise<Approval[]> {
    const first = alone === undefined ? [now] : [now, alone];
    return this.#rows(settleOverApprovals(this.#now, alone, placeholders(ids, first.length + 1)), [...first, ...ids]);
  }

  /** Gives how many approvals it removed. */
  deleteBefore(time: string): Promise<number> {
    return this.#delete({ created_at: { [Op.lt]: time }, status: { [Op.ne]: 'pending' } });
  }

  async deleteOfSessions(ids: readonly string[]): Promise<void> {
    await this.#delete({ session_id: [...ids] });
  }

  async deleteOfMember(id: number): Promise<void> {
    await this.#delete({ [Op.or]: [{ requested_by: id }, { member_id: id }] });
    await this.#deciders.destroy({ where: { member_id: id } });
    await this.#model.update({ decided_by: null }, { where: { decided_by: id } });
  }

  async #delete(where: WhereOptions<ApprovalRow>): Promise<number> {
    let deleted = 0;
    for (;;) {
      const ids = (await this.#model.findAll({ attributes: ['id'], where, limit: portion, raw: true })).map(({ id }) => id);
      if (ids.length === 0) return deleted;
      await this.#deciders.destroy({ where: { approval_id: ids } });
      deleted += await this.#model.destroy({ where: { id: ids } });
    }
  }

  #rows(sql: string, values: readonly SqlValue[]): Promise<Approval[]> {
    return this.#db.rows<Approval>(sql, values, { model: this.#model });
  }
}
