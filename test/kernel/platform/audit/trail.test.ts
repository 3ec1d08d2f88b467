import t from 'tap';
import type { AuditRecord } from '../../../../kernel/contract/system.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { callerOf, fixture, type TestPlatform } from '../../../helpers/platform.js';

const extensions = [fixture('ledger')];
const caller = callerOf({ member_id: 7, username: 'mia', address: '192.0.2.1', door: 'http' });

/** The rows of the trail that match, the oldest first. */
async function trail({ kernel }: TestPlatform, query: object = {}): Promise<AuditRecord[]> {
  const { body } = await kernel.invoke('audit.list', query, callerOf());
  return (body as AuditRecord[]).reverse();
}

const idsOf = (rows: readonly AuditRecord[]) => rows.map(({ request_id }) => request_id);

t.test('an audited operation leaves a row with member, operation and address, without secrets', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await platform.kernel.invoke('ledger.add', { text: 'one', password: 'hidden' }, caller, { request_id: 'r1' });
    await platform.kernel.invoke('ledger.order', { text: 'two' }, caller, { request_id: 'r2' });
    await platform.kernel.invoke('ledger.list', {}, caller);
    const common = { member_id: 7, username: 'mia', door: 'http', address: '192.0.2.1', outcome: 'success', times: 1, target: '' };
    const input = { wait_ms: 0, fail: false };
    const rows = await trail(platform);
    t.match(rows, [
      { ...common, operation: 'ledger.add', request_id: 'r1', input: { ...input, text: 'one', password: '[redacted]' } },
      { ...common, operation: 'ledger.order', request_id: 'r2', input: { ...input, text: 'two' } },
    ]);
    t.equal(rows.length, 2);
    t.equal(rows[0]?.last_at, rows[0]?.at);
  }),
);

t.test('rolled-back and invalid requests leave no row', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await t.rejects(platform.kernel.invoke('ledger.add', { text: 'one', fail: true }, caller), { code: 'ledger_failed' });
    await t.rejects(platform.kernel.invoke('ledger.add', { text: '' }, caller), { code: 'invalid_input' });
    t.same(await trail(platform), []);
  }),
);

t.test('a replayed answer is not audited again', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    for (let n = 0; n < 2; n += 1) await platform.kernel.invoke('ledger.add', { text: 'one' }, caller, { idempotency_key: 'k' });
    t.equal((await trail(platform)).length, 1);
  }),
);

t.test('the trail is paged, latest first, and filtered by caller, operation, subject, time and outcome', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const { kernel } = platform;
    const reader = callerOf({ ...caller, scopes: ['read'] });
    for (const n of [1, 2, 3]) await kernel.invoke('ledger.order', { text: 'x' }, caller, { request_id: `order-${n}` });
    await kernel.invoke('ledger.add', { text: 'x' }, callerOf({ member_id: 8 }), { request_id: 'of-8' });
    await t.rejects(kernel.invoke('ledger.add', { text: 'x' }, reader, { request_id: 'no-scope' }), { code: 'scope_missing' });
    await t.rejects(
      kernel.invoke('plugins.disable', { name: 'ledger' }, callerOf({ ...caller, role: 'member' }), { request_id: 'no-admin' }),
      {
        code: 'forbidden',
      },
    );

    const all = await trail(platform);
    t.same(idsOf(all), ['order-1', 'order-2', 'order-3', 'of-8', 'no-scope', 'no-admin']);
    t.same(idsOf(await trail(platform, { limit: 2 })), ['no-scope', 'no-admin']);
    t.same(idsOf(await trail(platform, { limit: 2, before: all[4]?.id })), ['order-3', 'of-8'], 'the next page follows');
    t.same(idsOf(await trail(platform, { member_id: 8 })), ['of-8']);
    t.same(idsOf(await trail(platform, { operation: 'ledger.add' })), ['of-8', 'no-scope']);
    t.same(idsOf(await trail(platform, { target: 'ledger' })), ['no-admin']);
    t.same(idsOf(await trail(platform, { outcome: 'refused' })), ['no-scope', 'no-admin']);
    t.same(idsOf(await trail(platform, { outcome: 'forbidden' })), ['no-admin']);
    t.same(idsOf(await trail(platform, { outcome: 'success', operation: 'ledger.add' })), ['of-8']);
    t.same(await trail(platform, { to: '2001-01-01' }), []);
    t.equal((await trail(platform, { from: '2001-01-01T00:00', to: '2101-01-01T00:00:00+01:00' })).length, 6);
    t.equal((await trail(platform, { from: all[3]?.at })).length >= 3, true, 'the filter includes its start time');
    for (const from of ['yesterday', '2024-13-01', '12', '2026-02-30', '2026-02-29T10:00:00Z', '2026-04-31T10:00', '0000-00-00']) {
      await t.rejects(trail(platform, { from }), { code: 'invalid_input', details: [{ path: 'from' }] }, from);
    }
  }),
);

t.test('only administrators read the trail, and rejected readers are recorded in it', async (t) => {
  await eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const member = callerOf({ ...caller, role: 'member' });
    await t.rejects(platform.kernel.invoke('audit.list', {}, member, { request_id: 'curious' }), { code: 'forbidden' });
    await t.rejects(platform.kernel.invoke('audit.list', {}, callerOf({ member_id: 0, role: 'member' })), { code: 'unauthenticated' });
    const input = {};
    t.match(await trail(platform), [
      { operation: 'audit.list', outcome: 'forbidden', member_id: 7, request_id: 'curious', times: 1, input },
    ]);
    t.equal((await trail(platform)).length, 1, 'reading leaves no rows, nor do requests without a token');
  });
});
