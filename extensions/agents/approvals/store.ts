import type { WhereOptions } from 'sequelize';
import { type Caller, type Database, databaseNow, Op, placeholders, type SqlValue } from '../../../kernel/contract/index.js';
import { decidable, findOverdueApprovals, renewApprovalLeases, settleApproval, settleOverdueApprovals } from '../agents-sql.js';
import type { Approval, ApprovalStatus } from '../contract.js';
import type { ApprovalRow, Models } from '../models.js';

/** Owner of an approval: the run that asks, and the members who may decide. */
export interface ApprovalOwner extends Pick<ApprovalRow, 'owner' | 'scopes'> {
  deciders: readonly number[];
}

/** Change that closes an approval. */
export interface Settlement extends Pick<ApprovalRow, 'reason' | 'decided_by' | 'decided_by_name'> {
  status: Exclude<ApprovalStatus, 'pending'>;
  now: string;
}

/** Open approval that the next sweep ends. */
export interface OverdueApproval {
  id: string;
  /** Whether it has expired; otherwise its run is gone. */
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

/** Approvals deleted at a time, so that other writers get their turn in between. */
const batch_size = 500;

/** Stores approvals in `agents_approvals` and `agents_approval_deciders`. Leases use the database's time. */
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

  async insert(approval: Approval, { owner, deciders, scopes }: ApprovalOwner): Promise<void> {
    const { id: approval_id, created_at } = approval;
    await this.#db.transaction(async () => {
      await this.#model.create({ ...approval, owner, scopes, lease_until: 0 });
      await this.renewLeases([approval_id]);
      await this.#deciders.bulkCreate(deciders.map((member_id) => ({ member_id, approval_id, created_at })));
    });
  }

  /** Returns the approval if the member may decide it. */
  async find(id: string, member_id: number): Promise<Approval | undefined> {
    return (await this.#deciders.count({ where: { approval_id: id, member_id } })) > 0 ? this.get(id) : undefined;
  }

  /** Returns the scopes of the run that asks; all if there is no such approval. */
  async scopesOf(id: string): Promise<Caller['scopes']> {
    return (await this.#model.findOne({ attributes: ['scopes'], where: { id }, raw: true }))?.scopes ?? 'all';
  }

  async get(id: string): Promise<Approval | undefined> {
    return (await this.#model.findOne({ ...visible, where: { id } })) ?? undefined;
  }

  /** Lists the approvals that the member may decide, newest first. */
  list(member_id: number, { status, limit, offset }: ApprovalQuery): Promise<Approval[]> {
    return this.#rows(decidable(status !== undefined), [member_id, limit, offset, ...(status ? [status] : [])]);
  }

  /** Closes an open approval that has not expired; undefined if it was no longer open. */
  async settle(id: string, { status, reason, decided_by, decided_by_name, now }: Settlement): Promise<Approval | undefined> {
    const [settled] = await this.#rows(settleApproval, [status, reason, decided_by, decided_by_name, now, id]);
    return settled;
  }

  /** Returns the ids of a session's open approvals that members have asked for. */
  async pendingOf(session_id: string, requested_by: readonly number[]): Promise<string[]> {
    const where = { session_id, requested_by: [...requested_by], status: 'pending' as const };
    return (await this.#model.findAll({ attributes: ['id'], where, raw: true })).map(({ id }) => id);
  }

  /** Renews the leases of approvals that a run waits for; returns the ids still open. */
  async renewLeases(ids: readonly string[]): Promise<string[]> {
    return (await this.#db.rows<{ id: string }>(renewApprovalLeases(this.#now, placeholders(ids)), ids)).map(({ id }) => id);
  }

  /** Finds at most 500 open approvals that have expired or lost their run. With `soleOwner`, only that owner can still be waiting. */
  async findOverdue(now: string, soleOwner: string | undefined): Promise<OverdueApproval[]> {
    const values = soleOwner === undefined ? [now] : [now, soleOwner];
    const rows = await this.#db.rows<Pick<Approval, 'id' | 'expires_at'>>(findOverdueApprovals(this.#now, soleOwner), values);
    return rows.map(({ id, expires_at }) => ({ id, isExpired: expires_at <= now }));
  }

  /** Closes those that are still overdue, and returns them. */
  settleOverdue(ids: readonly string[], now: string, soleOwner: string | undefined): Promise<Approval[]> {
    const first = soleOwner === undefined ? [now] : [now, soleOwner];
    return this.#rows(settleOverdueApprovals(this.#now, soleOwner, placeholders(ids, first.length + 1)), [...first, ...ids]);
  }

  /** Deletes approvals settled and created before a time; returns their number. */
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
      const ids = (await this.#model.findAll({ attributes: ['id'], where, limit: batch_size, raw: true })).map(({ id }) => id);
      if (ids.length === 0) return deleted;
      await this.#deciders.destroy({ where: { approval_id: ids } });
      deleted += await this.#model.destroy({ where: { id: ids } });
    }
  }

  #rows(sql: string, values: readonly SqlValue[]): Promise<Approval[]> {
    return this.#db.rows<Approval>(sql, values, { model: this.#model });
  }
}
