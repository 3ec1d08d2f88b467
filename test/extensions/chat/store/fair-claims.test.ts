import t, { type Test } from 'tap';
import { defineModels } from '../../../../extensions/chat/models.js';
import { isOfType, Tasks } from '../../../../extensions/chat/store/tasks-sql.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { freshPostgres, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { say } from '../../../helpers/model-server.js';
import { skipWithout } from '../../../helpers/parts.js';
import { startPlatform } from '../../../helpers/platform.js';
import { claimsOf } from '../claims.js';
import { administrator, collect, failureOf, login, withModel } from '../world.js';

interface Place {
  data_dir: string;
  database_url: string;
}

const now = '2026-01-01T00:00:00.000Z';

/** The last digits of the first ids. */
const first = 100_000_000_001;
const idOf = (kind: string, n: number | '') => `00000000-0000-7000-${kind}-${n}`;

/** 2,001 tasks of a member, for whose kind nobody answers. One of them is claimed below. */
const many = `WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + 2_000})
  INSERT INTO chat_tasks (id, session_id, message_id, reply_id, target_type, member_id, member_name, requested_by, scopes, title, status, created_at)
  SELECT '${idOf('8000', '')}' || i, '${idOf('8001', '')}' || i, '${idOf('8002', first)}', '${idOf('8003', first)}', 'many', 1, '', CAST($1 AS INTEGER), '"all"', '', 'queued', $2 FROM n`;

async function begin({ data_dir, database_url }: Place, member_id: number, t: Test): Promise<void> {
  const data = await openData({ url: database_url, data_dir, clock: systemClock, log: silentLog });
  const db = data.facade('chat');
  await db.run(many, [member_id, now]);
  const tasks = new Tasks(db, defineModels(db).tasks);
  t.same(await tasks.backlog({ session_id: idOf('8001', first), lane: 0, member_id }), { waiting: 1, open: 2_001 });
  const claim = (...enough: number[]) =>
    claimsOf(db, 'o').claim({
      limit: 1,
      filter: { where: isOfType(['many']) },
      full: { columns: ['requested_by'], keys: enough.map((id) => [id]) },
    });
  t.same(await claim(7, member_id), [], 'a member above its share waits');
  t.match(await claim(7), [{ requested_by: member_id, status: 'running' }]);
  await data.close();
}

async function bounded(t: Test, place: Place): Promise<void> {
  const { model, options } = await withModel(t);
  model.script(say('Hello.'));
  const settings = { ...options.settings, ...place };
  const first = await startPlatform(t, { settings });
  const { id } = await administrator(first).members.create({ username: 'ada', password: 'a long password' });
  await first.kernel.close();
  await begin(place, id, t);

  const second = await startPlatform(t, { settings });
  const ada = await login(t, second, 'ada', 'a long password');
  t.same(await failureOf(ada.chat.send({ content: 'One more' })), { code: 'too_many_tasks', status: 429 });
  t.same(await ada.sessions.list({ limit: 10, offset: 0 }), [], 'nothing of the rejected message was stored');
  const sent = await administrator(second).chat.send({ content: 'Hi' });
  await collect(administrator(second).messages.stream({ message_id: sent.message_id }));
  t.match(
    await administrator(second).tasks.get({ task_id: sent.task_id as string }),
    { status: 'completed' },
    'other members are answered',
  );
}

t.test('a member with very many open tasks gets no further one and delays nobody else', async (t) => {
  await t.test('sqlite', async (t) => bounded(t, { data_dir: await temporaryFolder(t), database_url: 'sqlite:' }));
  await t.test('postgres', { skip: skipWithout('postgres') }, async (t) =>
    bounded(t, { data_dir: await temporaryFolder(t), database_url: await freshPostgres() }),
  );
});
