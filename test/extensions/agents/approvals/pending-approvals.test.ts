import t from 'tap';
import { PendingApprovals } from '../../../../extensions/agents/approvals/pending-approvals.js';
import type { ApprovalStore } from '../../../../extensions/agents/approvals/store.js';
import type { Approval } from '../../../../extensions/agents/contract.js';
import type { Bus } from '../../../../kernel/contract/index.js';
import { until } from '../../../helpers/eventually.js';

const approval = { id: 'one', status: 'pending' } as Approval;

t.test('a run whose approval is deleted continues as if cancelled, and not before it was stored', async (t) => {
  let looks = 0;
  const get = async () => {
    looks += 1;
  };
  const silent = () => undefined;
  const waiting = new PendingApprovals({
    store: { renewLeases: async () => [], get } as unknown as ApprovalStore,
    bus: { subscribe: async () => async () => undefined } as unknown as Bus,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    sweep: async () => undefined,
  });
  t.teardown(() => waiting.dispose());
  const wait = waiting.begin(approval);
  let settled: Approval | undefined;
  void wait.settled.then((found) => {
    settled = found;
  });
  await until(() => looks, Boolean);
  t.equal(settled, undefined, 'the approval is not stored yet');
  wait.stored();
  t.match(await until(() => settled, Boolean), { id: 'one', status: 'cancelled' });
  wait.end();
});

t.test('registers a pending approval before the cleanup could end it as orphaned', async (t) => {
  const done: string[] = [];
  const silent = () => undefined;
  const renewLeases = async (ids: string[]) => {
    done.push('held');
    return ids;
  };
  const waiting = new PendingApprovals({
    store: { renewLeases } as unknown as ApprovalStore,
    bus: { subscribe: async () => async () => undefined } as unknown as Bus,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    sweep: async () => void done.push('swept'),
  });
  t.teardown(() => waiting.dispose());
  const wait = waiting.begin(approval);
  t.same(
    (
      await until(
        () => done,
        ({ length }) => length >= 2,
      )
    ).slice(0, 2),
    ['held', 'swept'],
  );
  wait.end();
});
