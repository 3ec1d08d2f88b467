import t from 'tap';
import { AuditRows } from '../../../../kernel/platform/audit/rows.js';
import { AuditTrail } from '../../../../kernel/platform/audit/trail.js';
import { eachDatabase, silentLog } from '../../../helpers/databases.js';

const day_ms = 24 * 3_600_000;
const now = Date.parse('2026-11-22T10:00:00Z');
const clock = { now: () => now, iso: () => new Date(now).toISOString() };
const entry = {
  member_id: 7,
  username: 'mia',
  operation: 'members.delete',
  door: 'http' as const,
  via: '',
  address: '192.0.2.1',
  request_id: 'r',
  target: '3',
  outcome: 'forbidden',
  input: {},
};

t.test('rows above the configured age are removed, and the oldest rejections above the limit', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const rows = new AuditRows(data);
    const at = (days: number) => new Date(now - days * day_ms).toISOString();
    const left = async () => (await rows.page({ limit: 200 })).map(({ target, outcome }) => `${target} ${outcome}`);
    for (const days of [31, 30, 29]) await rows.insert({ ...entry, at: at(days), target: String(days), outcome: 'success' });
    for (const days of [3, 2, 1]) await rows.insert({ ...entry, at: at(days), target: String(days) });

    t.equal(await new AuditTrail({ data, clock, log: silentLog, days: 30 }).sweep(), 1);
    t.same(await left(), ['1 forbidden', '2 forbidden', '3 forbidden', '29 success', '30 success']);
    t.equal(await rows.sweepRefused(1), 2);
    t.same(await left(), ['1 forbidden', '29 success', '30 success'], 'rejections do not displace successes');
  });
});

t.test('the trail is read inside a transaction while a rejection waits for its end', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const trail = new AuditTrail({ data, clock, log: silentLog, days: 30 });
    const targets = async () => (await trail.list({ limit: 9 })).map(({ target }) => target);
    const seen = await data.facade('kernel').transaction(async () => {
      await trail.write({ ...entry, at: clock.iso(), target: 'own', outcome: 'success' });
      trail.refused({ ...entry, at: clock.iso(), target: 'refused' });
      return targets();
    });
    t.equal(seen.includes('own'), true, 'the reader sees the rows of its transaction');
    t.same((await targets()).sort(), ['own', 'refused'], 'the rejection is stored afterwards');
    await trail.dispose();
  });
});

t.test('throttled requests are one row for each caller and minute, with their number', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const trail = new AuditTrail({ data, clock, log: silentLog, days: 30 });
    const stranger = { member_id: 0, username: '', role: 'member', scopes: [], door: 'http', token_id: '', expires_at: 0 } as const;
    for (let n = 1; n <= 500; n += 1) {
      trail.exceeded({ caller: { ...stranger, address: `2001:db8::${n.toString(16)}` }, request_id: `r${n}` });
      trail.exceeded({ caller: { ...stranger, member_id: 7, username: 'mia', address: '192.0.2.1' }, request_id: `m${n}` });
    }
    await trail.dispose();
    const common = { operation: 'http.limit', outcome: 'rate_limited', times: 500, target: '', door: 'http', input: {} };
    const found = await trail.list({ operation: 'http.limit', limit: 9 });
    t.match(found, [
      { ...common, member_id: 7, username: 'mia', address: '192.0.2.1', request_id: 'm1' },
      { ...common, member_id: 0, username: '', address: '2001:db8:0:0::/64', request_id: 'r1' },
    ]);
    t.equal(found.length, 2);
  });
});
