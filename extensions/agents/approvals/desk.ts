import { type Caller, fail as failCore, hasScope, isShared, LeaseJudge } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { Approval, ApprovalDecision } from '../contract.js';
import type { Parts } from './parts.js';
import type { ApprovalQuery } from './store.js';

type Own = Pick<Parts, 'store' | 'announcer' | 'db' | 'clock' | 'instance' | 'sees' | 'nameOf'>;

const kept_ms = 30 * 24 * 3_600_000;
/** Those by which people ask. Through the others an AI employee could approve itself. */
const doors: readonly Caller['door'][] = ['http', 'local', 'direct'];

/** Where people see what AI employees want to do, and decide it. */
export class ApprovalDesk {
  readonly #parts: Own;
  readonly #judge = new LeaseJudge();

  constructor(parts: Own) {
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

  /** The same decision again gives the same answer. */
  async decide(id: string, { decision, reason }: { decision: ApprovalDecision; reason: string }, caller: Caller): Promise<Approval> {
    const { store, announcer, clock, nameOf } = this.#parts;
    await this.get(id, caller);
    if (!doors.includes(caller.door))
      throw fail('approval_needs_person', 'A person decides this, not an AI employee, a schedule or a plugin');
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

  /** Ends what has expired, and what nobody waits for any more. */
  async sweep(): Promise<void> {
    const { store, announcer, clock, db, instance } = this.#parts;
    // Where no other process uses the database, every other instance that asked is dead.
    const alone = isShared(db) ? undefined : instance;
    const now = clock.iso();
    const found = await store.over(now, alone);
    const over = this.#judge.answered() || alone ? found : found.filter(({ isExpired }) => isExpired);
    if (over.length === 0) return;
    const ids = over.map(({ id }) => id);
    announcer.settled(await store.settleOver(ids, now, alone));
  }

  /** Removes what is long over; gives how many approvals. */
  tidy(): Promise<number> {
    const { store, clock } = this.#parts;
    return store.deleteBefore(new Date(clock.now() - kept_ms).toISOString());
  }

  async #find(id: string, { member_id }: Caller): Promise<Approval> {
    const { store, sees } = this.#parts;
    const approval = await store.find(id, member_id);
    if (approval && (await sees(approval.session_id, member_id))) return approval;
    throw fail('approval_not_found', `There is no approval ${id} that you could decide`);
  }
}

/** A token with few rights doesn't decide for work that was begun with more. */
function assertCovers(own: Caller['scopes'], needed: Caller['scopes']): void {
  if (hasScope(own, 'admin')) return;
  if (needed === 'all' || needed.some((scope) => !own.includes(scope)))
    throw failCore('scope_missing', 'The run that asks works with rights that your token does not have');
}

function refusal({ id, status, decided_by_name, decided_at }: Approval): Error {
  if (status === 'expired') return fail('approval_expired', `Nobody decided approval ${id} in time; it has expired`);
  if (status === 'cancelled') return fail('approval_cancelled', `The run that asked for approval ${id} has ended`);
  return fail('approval_decided', `${decided_by_name ?? 'Somebody'} has ${status} ${id} already, at ${decided_at}`);
}
