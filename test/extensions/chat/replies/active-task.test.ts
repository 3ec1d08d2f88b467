import { randomUUID } from 'node:crypto';
import pg from 'pg';
import t from 'tap';
import { sharedSettings } from '../../../helpers/cluster.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { startPlatform } from '../../../helpers/platform.js';
import { administrator, collect, withModel } from '../world.js';

t.test(
  'a task that another instance adds while a reply ends becomes the active one',
  { skip: skipWithout('postgres', 'redis') },
  async (t) => {
    const { model, options } = await withModel(t);
    const platform = await startPlatform(t, { settings: { ...options.settings, ...(await sharedSettings(t)) } });
    const client = administrator(platform);
    model.script((exchange) => exchange.text('A little. '));
    const { session_id, message_id, task_id } = await client.chat.send({ content: 'First' });
    const exchange = await until(() => model.exchanges.at(-1), Boolean);

    const other = new pg.Client({ connectionString: platform.database_url });
    await other.connect();
    t.teardown(() => other.end());
    const added = randomUUID();
    await other.query('BEGIN');
    await other.query('UPDATE chat_sessions SET last_ms = last_ms + 1 WHERE id = $1', [session_id]);
    // It waits for a node, so that nobody claims it.
    await other.query(
      `INSERT INTO chat_tasks (id, session_id, message_id, reply_id, target_type, member_id, member_name, requested_by, scopes, title, status,
       created_at, node_id) SELECT $1, session_id, $2, $3, target_type, member_id, member_name, requested_by, scopes, title, 'queued',
       '2999-01-01T00:00:00.000Z', 999 FROM chat_tasks WHERE id = $4`,
      [added, randomUUID(), randomUUID(), task_id],
    );
    exchange?.finish('stop');
    const waiting = async () => {
      const sql = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      return ((await other.query(sql)).rows as { count: number }[])[0]?.count;
    };
    await until(waiting, (count) => count !== 0);
    await other.query('COMMIT');
    await collect(client.messages.stream({ message_id }));
    t.equal((await client.tasks.get({ task_id: task_id as string })).status, 'completed');
    t.equal((await client.sessions.get({ session_id })).active_task_id, added);
  },
);
