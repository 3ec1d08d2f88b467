import t from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import { isOfType, type Outcome, Tasks } from '../../../../extensions/chat/store/tasks-sql.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { freshPostgres, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { claimsOf } from '../claims.js';
import { gate } from '../scribe.js';

const now = '2026-11-20T12:00:00.000Z';
const owner = 'me';
const common = { message_id: 'm', reply_id: 'r', target_type: 'ai', member_id: 1, member_name: 'Vic', node_id: null } as const;

t.test('ending tasks and renewing leases lock rows in the same order', { skip: skipWithout('postgres') }, async (t) => {
  const data = await openData({ url: await freshPostgres(), data_dir: await temporaryFolder(t), clock: systemClock, log: silentLog });
  t.teardown(() => data.close());
  await data.migrate('chat', migrations);
  const db = data.facade('chat');
  const [tasks, claims] = [new Tasks(db, defineModels(db).tasks), claimsOf(db, owner)];
  // Behind so many the ends are looked up by their ids, and those that run by reading all.
  await db.run(`INSERT INTO chat_tasks (id, session_id, message_id, reply_id, target_type, member_id, member_name, requested_by, scopes, title,
    status, created_at, owner) SELECT 'past ' || i, 's', 'm', 'r', 'ai', 1, 'Vic', 2, '"all"', 'Work', 'completed', '2026', 'me'
    FROM generate_series(1, 50000) AS i`);
  // The later id lies before the other in the table.
  for (const id of ['b', 'a']) {
    await tasks.insert({ ...common, id, session_id: id, lane: 0, requested_by: 2, scopes: 'all', title: 'Work', created_at: now });
    await claims.claim({ limit: 1, filter: { where: isOfType(['ai']) } });
  }
  const waiting = (wanted: number) =>
    until(
      async () => (await db.rows("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")).length,
      (found) => found === wanted,
    );
  const locked = gate();
  const free = gate();
  const other = db.transaction(async () => {
    await db.rows("SELECT id FROM chat_tasks WHERE id = 'a' FOR UPDATE");
    locked.open();
    await free.passed;
  });
  await Promise.race([locked.passed, other]);
  const outcome = { status: 'completed', reason: null, error: null } as const;
  const ends: Outcome[] = ['a', 'b'].map((id) => ({ ...outcome, id }));
  const ended = db.transaction(() => tasks.finish(owner, ends, now));
  await waiting(1);
  const held = claims.renew(['b', 'a']);
  await waiting(2);
  free.open();
  await other;
  t.same([...(await ended).keys()].sort(), ['a', 'b']);
  t.equal((await held).size, 0, 'ended tasks have no lease');
});
