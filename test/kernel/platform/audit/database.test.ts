import t from 'tap';
import type { ActiveOperation } from '../../../../kernel/core/catalog/catalog.js';
import { auditedDatabase } from '../../../../kernel/core/host/audited-database.js';
import type { Requests } from '../../../../kernel/core/invoke/request.js';
import { PendingAudit } from '../../../../kernel/platform/audit/pending.js';
import { AuditTrail } from '../../../../kernel/platform/audit/trail.js';
import { eachDatabase, silentLog, systemClock } from '../../../helpers/databases.js';
import { callerOf } from '../../../helpers/platform.js';

const active = { id: 'nodes.register', extension: 'nodes', operation: { path: '/api/remote-nodes', audited: true } };

t.test('an operation with several transactions has one row, of the first that is stored', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const trail = new AuditTrail({ data, clock: systemClock, log: silentLog, days: 30 });
    const audit = new PendingAudit(trail, { active: active as unknown as ActiveOperation, caller: callerOf(), request_id: 'r', via: '' });
    const db = auditedDatabase(data.facade('kernel'), { current: () => ({ audit }) } as unknown as Requests);
    const failing = () => db.transaction(() => Promise.reject(new Error('the database is away')));
    const rows = async () => (await trail.list({ limit: 9 })).length;
    await t.rejects(failing(), /away/);
    t.equal(await rows(), 0, 'what is rolled back has none');
    await db.transaction(async () => undefined);
    t.equal(await rows(), 1);
    await t.rejects(failing(), /away/);
    await db.transaction(async () => undefined);
    t.equal(await rows(), 1, 'one that fails later takes nothing back');
    await trail.dispose();
  });
});
