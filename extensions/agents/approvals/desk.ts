import { type Caller, fail as failCore, hasScope, isShared, LeaseJudge } from '../../../kernel/contract/index.js';
import type { SessionLeft } from '../../chat/contract.js';
import { fail } from '../codes.js';
import type { Approval, ApprovalDecision } from '../contract.js';
import type { Parts } from './parts.js';
import type { ApprovalQuery } from './store.js';

type Dependencies = Pick<Parts, 'store' | 'announcer' | 'db' | 'clock' | 'instance' | 'sees' | 'nameOf'>;

const retention_ms = 30 * 24 * 3_600_000;
/** Doors that people use. Through the others an AI employee could approve its own call. */
const personDoors: readonly Caller['door'][] = ['http', 'local', 'direct'];

/** Lists approvals to people and records their decisions. */
export class ApprovalDesk {
  readonly #parts: Dependencies;
  readonly #judge = new LeaseJudge();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  async list(query: ApprovalQuery, caller: Caller): Promise<Approval[]> {
    await this.sweep();
    const approvals = await this.#parts.store.list(caller.member_id, query);
    const sessions = [...new Set(approvals.map(({ session_id }) => session_id))];
    const seen = await Promise.all(sessions.map((id) => this.#parts.sees(id, caller.member_id)));
    const visible = new Set(sessions.filter((_, at) => seen[at]));
    return approvals.filter(({ session_id }) => visible.has(session_id));
  }

  async get(id: string, caller: Caller): Promise<Approval> {
    await this.sweep();
    return this.#find(id, caller);
  }

  /** Decides an approval. Repeating a decision returns the same result. */
  async decide(id: string, { decision, reason }: { decision: ApprovalDecision; reason: string }, caller: Caller): Promise<Approval> {
    const { store, announcer, clock, nameOf } = this.#parts;
    await this.get(id, caller);
    if (!personDoors.includes(caller.door))
      throw fail('approval_needs_person', 'Only a person can decide this; an AI employee, a schedule or a plugin cannot');
    assertCovers(caller.scopes, await store.scopesOf(id));
    const status = decision === 'approve' ? 'approved' : 'denied';
    const decided = { decided_by: caller.member_id, decided_by_name: await nameOf(caller.member_id) };
    const settled = await store.settle(id, { status, reason, ...decided, now: clock.iso() });
    if (settled) {
      announcer.settled([settled]);
      return settled;
    }
    const approval = await this.#find(id, caller);
    if (approval.status === status) return approval;
    throw refusal(approval);
  }

  /** Denies what members have asked for in a session that they leave, within the transaction in which they do. */
  async leave({ session_id, member_ids }: SessionLeft): Promise<void> {
    const { store, announcer, clock, db } = this.#parts;
    const denied = {
      status: 'denied',
      reason: 'The person who asked has left the session',
      decided_by: null,
      decided_by_name: null,
    } as const;
    const settled: Approval[] = [];
    for (const id of await store.pendingOf(session_id, member_ids)) {
      const approval = await store.settle(id, { ...denied, now: clock.iso() });
      if (approval) settled.push(approval);
    }
    if (settled.length > 0) db.afterCommit(() => announcer.settled(settled));
  }

  /** Ends approvals that have expired and those whose run no longer waits. */
  async sweep(): Promise<void> {
    const { store, announcer, clock, db, instance } = this.#parts;
    // If no other process uses the database, every other instance that asked is dead.
    const soleOwner = isShared(db) ? undefined : instance;
    const now = clock.iso();
    const found = await store.findOverdue(now, soleOwner);
    const overdue = this.#judge.answered() || soleOwner ? found : found.filter(({ isExpired }) => isExpired);
    if (overdue.length === 0) return;
    const ids = overdue.map(({ id }) => id);
    announcer.settled(await store.settleOverdue(ids, now, soleOwner));
  }

  /** Deletes old settled approvals; returns their number. */
  deleteOld(): Promise<number> {
    const { store, clock } = this.#parts;
    return store.deleteBefore(new Date(clock.now() - retention_ms).toISOString());
  }

  async #find(id: string, { member_id }: Caller): Promise<Approval> {
    const { store, sees } = this.#parts;
    const approval = await store.find(id, member_id);
    if (approval && (await sees(approval.session_id, member_id))) return approval;
    throw fail('approval_not_found', `There is no approval ${id} that you may decide`);
  }
}

/** Rejects a token with fewer scopes than the run that asks. */
function assertCovers(granted: Caller['scopes'], needed: Caller['scopes']): void {
  if (hasScope(granted, 'admin')) return;
  if (needed === 'all' || needed.some((scope) => !granted.includes(scope)))
    throw failCore('scope_missing', 'Your token lacks a scope of the run that asks');
}

function refusal({ id, status, decided_by_name, decided_at }: Approval): Error {
  if (status === 'expired') return fail('approval_expired', `Nobody decided approval ${id} in time; it has expired`);
  if (status === 'cancelled') return fail('approval_cancelled', `The run that asked for approval ${id} has ended`);
  return fail('approval_decided', `${decided_by_name ?? 'Somebody'} has ${status} ${id} already, at ${decided_at}`);
}
