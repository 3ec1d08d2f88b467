import t from 'tap';
import { openData } from '../../../kernel/data/hub.js';
import { eachPlatform } from '../../helpers/cluster.js';
import { silentLog, systemClock } from '../../helpers/databases.js';
import { callerOf, fixture, type TestPlatform } from '../../helpers/platform.js';

const extensions = [fixture('ledger')];

/** The rows of the audit trail, read once the platform has ended. */
async function trail({ kernel, data_dir }: TestPlatform, url: string): Promise<Record<string, unknown>[]> {
  await kernel.close();
  const data = await openData({ url, data_dir, clock: systemClock, log: silentLog });
  const columns = 'member_id, operation, door, address, request_id, outcome, input';
  const rows = await data.facade('kernel').rows<Record<string, unknown>>(`SELECT ${columns} FROM kernel_audit ORDER BY id`);
  await data.close();
  return rows.map((row) => ({ ...row, member_id: Number(row.member_id), input: JSON.parse(String(row.input)) as unknown }));
}

const caller = callerOf({ member_id: 7, address: '192.0.2.1', door: 'http' });

t.test('an audited operation leaves a row with who, what and from where, and no secret', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await platform.kernel.invoke('ledger.add', { text: 'one', password: 'hidden' }, caller, { request_id: 'r1' });
    await platform.kernel.invoke('ledger.order', { text: 'two' }, caller, { request_id: 'r2' });
    await platform.kernel.invoke('ledger.list', {}, caller);
    const common = { member_id: 7, door: 'http', address: '192.0.2.1', outcome: 'success' };
    const input = { wait_ms: 0, fail: false };
    t.same(await trail(platform, platform.database_url), [
      { ...common, operation: 'ledger.add', request_id: 'r1', input: { ...input, text: 'one', password: '[redacted]' } },
      { ...common, operation: 'ledger.order', request_id: 'r2', input: { ...input, text: 'two' } },
    ]);
  }),
);

t.test('what was rolled back leaves no row', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await t.rejects(platform.kernel.invoke('ledger.add', { text: 'one', fail: true }, caller), { code: 'ledger_failed' });
    await t.rejects(platform.kernel.invoke('ledger.add', { text: '' }, caller), { code: 'invalid_input' });
    t.same(await trail(platform, platform.database_url), []);
  }),
);

t.test('a replayed answer is not audited again', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    for (let n = 0; n < 2; n += 1) await platform.kernel.invoke('ledger.add', { text: 'one' }, caller, { idempotency_key: 'k' });
    t.equal((await trail(platform, platform.database_url)).length, 1);
  }),
);
