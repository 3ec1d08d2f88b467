import t, { type Test } from 'tap';
import { ApprovalStore } from '../../../../extensions/agents/approvals/store.js';
import type { Approval } from '../../../../extensions/agents/contract.js';
import { approvals } from '../../../../extensions/agents/migrations/0003-approvals.js';
import { approvalScopes } from '../../../../extensions/agents/migrations/0005-approval-scopes.js';
import { approvalRooms } from '../../../../extensions/agents/migrations/0007-approval-rooms.js';
import { defineModels } from '../../../../extensions/agents/models.js';
import type { Database } from '../../../../kernel/contract/index.js';
import { eachDatabase } from '../../../helpers/databases.js';

const at = (hour: number) => `2030-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`;
const decision = { status: 'approved' as const, reason: '', decided_by: 5, decided_by_name: 'Ada', now: at(2) };

function approval(n: number, change: Partial<Approval> = {}): Approval {
  const id = `00000000-0000-4000-8000-00000000000${n}`;
  return {
    id,
    session_id: id,
    task_id: id,
    message_id: id,
    tool_call_id: id,
    member_id: 9,
    requested_by: 5,
    name: 'tool',
    input: { n },
    effect: 'write',
    status: 'pending',
    reason: '',
    decided_by: null,
    decided_by_name: null,
    created_at: at(n),
    expires_at: at(20),
    decided_at: null,
    room_title: null,
    ...change,
  };
}

async function eachStore(t: Test, work: (t: Test, store: ApprovalStore, db: Database) => Promise<void>): Promise<void> {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('agents', [approvals, approvalScopes, approvalRooms]);
    const db = data.facade('agents');
    await work(t, new ApprovalStore(db, defineModels(db)), db);
  });
}

const mine = { owner: 'me', deciders: [5, 6], scopes: ['chat' as const] };

t.test('approvers find an approval, latest first', async (t) => {
  await eachStore(t, async (t, store) => {
    for (const n of [1, 2, 3]) await store.insert(approval(n), mine);
    await store.insert(approval(4), { ...mine, deciders: [7] });
    t.same(await store.find(approval(1).id, 6), approval(1));
    t.equal(await store.find(approval(4).id, 6), undefined);
    t.same(await store.scopesOf(approval(1).id), ['chat']);
    t.equal(await store.scopesOf('gone'), 'all');
    const page = { limit: 2, offset: 0 };
    t.same(
      (await store.list(5, page)).map(({ input }) => input),
      [{ n: 3 }, { n: 2 }],
    );
    await store.settle(approval(3).id, decision);
    t.same(
      (await store.list(5, { ...page, status: 'pending' })).map(({ input }) => input),
      [{ n: 2 }, { n: 1 }],
    );
    t.same(
      (await store.list(5, { ...page, offset: 2 })).map(({ input }) => input),
      [{ n: 1 }],
    );
  });
});

t.test('an approval is decided once, and not after it expired', async (t) => {
  await eachStore(t, async (t, store) => {
    await store.insert(approval(1), mine);
    await store.insert(approval(2, { expires_at: at(2) }), mine);
    const { now, ...decided } = decision;
    t.same(await store.settle(approval(1).id, decision), { ...approval(1), ...decided, decided_at: now });
    t.equal(await store.settle(approval(1).id, { ...decision, status: 'denied' }), undefined);
    t.equal(await store.settle(approval(2).id, decision), undefined);
    t.equal((await store.get(approval(2).id))?.status, 'pending');
  });
});

t.test('expired approvals and those of dead runs are ended, but not those of running ones', async (t) => {
  await eachStore(t, async (t, store, db) => {
    const states = async () => (await store.list(5, { limit: 9, offset: 0 })).map(({ status }) => status).reverse();
    for (const n of [1, 2, 3]) await store.insert(approval(n, n === 1 ? { expires_at: at(3) } : {}), mine);
    const every = [1, 2, 3].map((n) => approval(n).id);
    t.same(await store.findOverdue(at(2), undefined), []);
    await db.run('UPDATE agents_approvals SET lease_until = 1 WHERE id <> $1', [approval(3).id]);
    t.same(
      await store.renewLeases([approval(1).id, approval(3).id, 'gone']),
      [approval(1).id, approval(3).id],
      'the leases of open approvals are renewed',
    );
    t.same(await store.findOverdue(at(2), undefined), [{ id: approval(2).id, isExpired: false }]);
    t.same(await store.settleOverdue([approval(3).id], at(2), undefined), [], 'an approval whose lease was renewed meanwhile stays open');
    t.match(await store.settleOverdue(every, at(2), undefined), [
      { id: approval(2).id, status: 'cancelled', decided_at: at(2), decided_by: null },
    ]);
    t.same(await store.findOverdue(at(4), undefined), [{ id: approval(1).id, isExpired: true }]);
    t.equal((await store.settleOverdue(every, at(4), undefined))[0]?.status, 'expired');
    t.same(await states(), ['expired', 'cancelled', 'pending']);
    t.same(await store.renewLeases([approval(1).id]), [], 'the lease of a closed approval is not renewed');

    t.same(await store.findOverdue(at(4), 'me'), []);
    t.match(await store.settleOverdue(every, at(4), 'another start'), [{ id: approval(3).id, status: 'cancelled' }]);
  });
});

t.test('deletes approvals with their session, their member, and by age', async (t) => {
  await eachStore(t, async (t, store, db) => {
    for (const n of [1, 2, 3, 4]) await store.insert(approval(n, n === 4 ? { requested_by: 6, member_id: 8 } : {}), mine);
    await store.deleteOfSessions([]);
    await store.deleteOfSessions([approval(1).id]);
    t.equal((await store.list(5, { limit: 9, offset: 0 })).length, 3);
    await store.deleteBefore(at(3));
    t.equal((await store.list(5, { limit: 9, offset: 0 })).length, 3, 'open approvals stay');
    await store.settle(approval(2).id, decision);
    await store.deleteBefore(at(3));
    t.equal((await store.list(6, { limit: 9, offset: 0 })).length, 2);
    await store.deleteOfMember(5);
    t.same(
      (await store.list(6, { limit: 9, offset: 0 })).map(({ id }) => id),
      [approval(4).id],
    );
    t.same(await store.list(5, { limit: 9, offset: 0 }), []);
    t.equal((await db.rows('SELECT * FROM agents_approval_deciders')).length, 1, 'no other row is left');
  });
});
