import { randomUUID } from 'node:crypto';
import t from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import type { Group } from '../../../../extensions/chat/store/groups-sql.js';
import { PlacedTasks } from '../../../../extensions/chat/store/placed-tasks-sql.js';
import { claimOf, isOfType, type NewTask, Tasks, toJob } from '../../../../extensions/chat/store/tasks-sql.js';
import { eachDatabase } from '../../../helpers/databases.js';
import { claimsOf } from '../claims.js';

const now = '2026-11-20T12:00:00.000Z';
const [vic, ada, bob] = [1, 2, 3];
const free_ones = { where: isOfType(['ai']) };
let made = 0;

function task(change: Partial<NewTask> = {}): NewTask {
  made += 1;
  return {
    id: randomUUID(),
    session_id: randomUUID(),
    message_id: randomUUID(),
    reply_id: randomUUID(),
    target_type: 'ai',
    member_id: vic,
    member_name: 'Vic',
    node_id: 7,
    lane: 0,
    requested_by: ada,
    scopes: 'all',
    title: 'Work',
    created_at: new Date(Date.parse(now) + made).toISOString(),
    ...change,
  };
}

t.test('tasks that need a node form a queue of their own', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    const models = defineModels(db);
    const [tasks, placed, claims] = [new Tasks(db, models.tasks), new PlacedTasks(db, models.tasks), claimsOf(db, 'me')];
    const claim = async (place?: { group: Group; node_id: number | null }) => {
      const filter = place ? claimOf(place.group, { target_type: 'ai', node_id: place.node_id }) : free_ones;
      const [claimed] = await claims.claim({ limit: 1, filter });
      return claimed && toJob(claimed);
    };
    const [first, behind, few, free] = [task(), task(), task({ requested_by: bob, scopes: ['chat'] }), task({ node_id: null })];
    for (const each of [first, { ...behind, session_id: first.session_id }, few]) await tasks.insert(each);
    t.equal(await claims.anyReady(), false);
    t.equal(await claim(), undefined, 'the task needs a node');
    await tasks.insert(free);
    t.equal((await claim())?.task.id, free.id);
    t.equal(await claim(), undefined);

    const [mine, others] = await placed.groups('ai');
    t.same(mine, { member_id: vic, requested_by: ada, scopes: 'all', node_id: 7, reason: null });
    t.same(others, { ...mine, requested_by: bob, scopes: ['chat'] });
    t.equal((await placed.groups('')).length, 0);
    t.same(await placed.groups('ai', [few.id]), [others]);
    t.same(await placed.groups('ai', []), []);

    const turns = await placed.ofGroup(mine as Group);
    t.same(
      turns.map(({ id }) => id),
      [first.id],
      'the next task of the session is not due',
    );
    const wait = { node_id: 8, waits: 'node_offline' } as const;
    t.match(await placed.wait(turns, wait), [{ id: first.id, status: 'queued', reason: 'node_offline', node_id: 8 }]);
    t.same(await placed.wait(turns, wait), [], 'the reason for waiting is reported once');
    t.equal(await claim({ group: mine as Group, node_id: 8 }), undefined, 'the task belongs to another group now');
    const waiting = { ...(mine as Group), node_id: 8, reason: 'node_offline' };
    t.match(await claim({ group: waiting, node_id: 9 }), { task: { id: first.id, status: 'running', reason: null, node_id: 9 } });
    t.same(await placed.wait(turns, wait), [], 'a running task does not wait');
    t.same(
      (await placed.runningOn(9)).map(({ id }) => id),
      [first.id],
    );
    t.same(await placed.runningOn(8), []);

    await placed.lose(7);
    t.match(await placed.groups('ai'), [{ requested_by: bob, reason: 'node_deleted' }]);
    t.match(await claim({ group: { ...(others as Group), reason: 'node_deleted' }, node_id: null }), {
      task: { id: few.id, node_id: null, reason: null },
    });
  });
});

t.test('several tasks are claimed at once, one per session and up to the limit', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    const [tasks, claims] = [new Tasks(db, defineModels(db).tasks), claimsOf(db, 'me')];
    const [first, behind, second, third] = [1, 2, 3, 4].map(() => task({ node_id: null })) as [NewTask, NewTask, NewTask, NewTask];
    for (const each of [first, { ...behind, session_id: first.session_id }, second, third]) await tasks.insert(each);
    const claim = async (max: number) => {
      const claimed = await claims.claim({ limit: max, filter: free_ones });
      return claimed.map(({ id, status }) => `${status} ${id}`).sort();
    };
    t.same(await claim(2), [first, second].map(({ id }) => `running ${id}`).sort(), 'the longest waiting tasks are claimed first');
    t.same(await claim(8), [`running ${third.id}`], 'the next task of a session is not claimed');
    t.same(await claim(8), []);
  });
});

t.test('tasks without a node are found without reading those that wait for nodes', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    const tasks = new Tasks(db, defineModels(db).tasks);
    await db.transaction(async () => {
      for (let n = 0; n < 2_000; n += 1) await tasks.insert(task());
      await tasks.insert(task({ node_id: null }));
    });
    await db.run('ANALYZE');
    const looking = `SELECT id FROM chat_tasks WHERE status = 'queued' AND node_id IS NULL ORDER BY created_at LIMIT 1`;
    const explain = db.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    t.match(JSON.stringify(await db.rows(`${explain} ${looking}`)), /chat_tasks_queue/);
    t.match(await claimsOf(db, 'me').claim({ limit: 1, filter: free_ones }), [{ node_id: null }]);
  });
});
