import pg from 'pg';
import t, { type Test } from 'tap';
import { openPostgresDriver } from '../../../../kernel/platform/data/postgres/driver.js';
import { freshPostgres, silentLog } from '../../../helpers/databases.js';
import { becomes } from '../../../helpers/eventually.js';
import { Link } from '../../../helpers/link.js';
import { skipWithout } from '../../../helpers/parts.js';

const name = 'a client that goes';
/** Far below the end of any statement. */
const noticed_ms = 8_000;
const sleeps_s = 25;

/** A driver behind a network that can be cut, and how many connections of it the server has. */
async function behindLink(t: Test) {
  const url = await freshPostgres();
  const link = await Link.to(Number(new URL(url).port));
  const through = new URL(url);
  [through.hostname, through.port] = ['127.0.0.1', String(link.port)];
  const driver = openPostgresDriver({ url: through.href, connections: 2, name, log: silentLog });
  const watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  t.teardown(async () => {
    await driver.close();
    await watcher.end();
    await link.close();
  });
  const busy = async () => {
    const sql = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE state = 'active' AND pid <> pg_backend_pid() AND query ~ 'sleep|lock' AND datname = current_database()`;
    return ((await watcher.query(sql)).rows[0] as { count: number }).count;
  };
  return { url, driver, link, watcher, busy };
}

t.test('a statement ends soon after its client is lost and releases its locks', { skip: skipWithout('postgres') }, async (t) => {
  const { driver, link, watcher, busy } = await behindLink(t);
  await watcher.query('CREATE TABLE things (id int)');
  const asleep = driver.write(async (connection) => {
    await connection.run('BEGIN', []);
    await connection.run('LOCK TABLE things', []);
    await connection.rows(`SELECT pg_sleep(${sleeps_s})`, []);
  });
  const ended = asleep.catch((fault: Error) => fault);
  await becomes(t, busy, 1);
  link.set({ kind: 'cut' });
  t.ok((await ended) instanceof Error);
  await becomes(t, busy, 0, noticed_ms);
  await watcher.query("SET lock_timeout = '1s'");
  await t.resolves(watcher.query('INSERT INTO things VALUES (1)'));
});

t.test(
  'the server detects lost clients that wait for a lock or are idle',
  {
    skip: skipWithout('postgres'),
  },
  async (t) => {
    const { url, driver, link, busy } = await behindLink(t);
    const other = openPostgresDriver({ url, connections: 1, log: silentLog });
    t.teardown(() => other.close());
    const settings = await driver.read((connection) =>
      connection.rows("SELECT name, setting FROM pg_settings WHERE name ~ '^tcp_keepalives|^client_connection' ORDER BY name", []),
    );
    t.same(settings, [
      { name: 'client_connection_check_interval', setting: '2000' },
      { name: 'tcp_keepalives_count', setting: '3' },
      { name: 'tcp_keepalives_idle', setting: '10' },
      { name: 'tcp_keepalives_interval', setting: '5' },
    ]);
    await other.lock(
      'held',
      async () => {
        const waiting = driver.lock('held', async () => 'never', 20_000).catch((fault: Error) => fault);
        await becomes(t, busy, 1);
        link.set({ kind: 'cut' });
        t.ok((await waiting) instanceof Error);
        await becomes(t, busy, 0, noticed_ms);
      },
      5_000,
    );
  },
);
