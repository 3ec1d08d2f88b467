import t from 'tap';
import { isUniqueViolation } from '../../../../kernel/contract/index.js';
import type { ActiveOperation } from '../../../../kernel/core/catalog/catalog.js';
import { auditedDatabase } from '../../../../kernel/core/host/audited-database.js';
import type { Requests } from '../../../../kernel/core/invoke/request.js';
import { PendingAudit } from '../../../../kernel/platform/audit/pending.js';
import { AuditTrail } from '../../../../kernel/platform/audit/trail.js';
import { eachDatabase, silentLog, systemClock } from '../../../helpers/databases.js';
import { callerOf } from '../../../helpers/platform.js';

const active = { id: 'nodes.register', extension: 'nodes', operation: { path: '/api/remote-nodes', audited: true } };

t.test('an operation with several transactions has one audit row, of the first that commits', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const trail = new AuditTrail({ data, clock: systemClock, log: silentLog, days: 30 });
    const audit = new PendingAudit(trail, { active: active as unknown as ActiveOperation, caller: callerOf(), request_id: 'r', via: '' });
    const db = auditedDatabase(data.facade('kernel'), { current: () => ({ audit }) } as unknown as Requests);
    const failing = () => db.transaction(() => Promise.reject(new Error('the database is away')));
    const rows = async () => (await trail.list({ limit: 9 })).length;
    await t.rejects(failing(), /away/);
    t.equal(await rows(), 0, 'a rolled-back transaction has no row');
    await db.transaction(async () => undefined);
    t.equal(await rows(), 1);
    await t.rejects(failing(), /away/);
    await db.transaction(async () => undefined);
    t.equal(await rows(), 1, 'a later failure keeps the earlier row');
    await trail.dispose();
  });
});

t.test('changes by models commit or roll back together with their audit row', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const trail = new AuditTrail({ data, clock: systemClock, log: silentLog, days: 30 });
    const audit = new PendingAudit(trail, { active: active as unknown as ActiveOperation, caller: callerOf(), request_id: 'r', via: '' });
    const db = auditedDatabase(data.facade('kernel'), { current: () => ({ audit }) } as unknown as Requests);
    const Setting = db.define('settings', { key: db.columns.string(128, { primaryKey: true }), value: db.columns.text() });
    const stored = async () => [await Setting.count(), (await trail.list({ limit: 9 })).length];
    const twice = db.transaction(async () => {
      await Setting.create({ key: 'a', value: '' });
      await Setting.create({ key: 'a', value: '' });
    });
    t.ok(isUniqueViolation(await twice.catch((error: unknown) => error)));
    t.strictSame(await stored(), [0, 0]);
    await db.transaction(() => Setting.create({ key: 'a', value: '' }));
    t.strictSame(await stored(), [1, 1]);
    await trail.dispose();
  });
});
