import pg from 'pg';
import t, { type Test } from 'tap';
import { type Data, openData } from '../../../../kernel/platform/data/hub.js';
import { explain } from '../../../../kernel/platform/data/postgres/faults.js';
import { freshPostgres, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { skipWithout } from '../../../helpers/parts.js';
import { postgresPrograms, startOwnPostgres } from '../../../helpers/postgres.js';

const options = { skip: skipWithout('postgres') };
const own = { skip: options.skip || (postgresPrograms() === undefined && 'needs the programs of PostgreSQL') };

const away = { code: 'database_unavailable', status: 503, message: /PostgreSQL server can't be reached/ };

async function open(t: Test, url: string) {
  const data = await openData({ url, data_dir: await temporaryFolder(t), clock: systemClock, log: silentLog });
  t.teardown(() => data.close());
  return data;
}

/** Ends every connection to the database but the one that asks. */
async function terminate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
}

t.test('an unreachable server is reported at the start without the password', async (t) => {
  const failure = await open(t, 'postgres://someone:secret@127.0.0.1:1/none').catch((error: unknown) => error as Error);
  t.match(failure, away);
  t.notMatch(String(failure), /secret/);
});

t.test('a missing database is reported at the start', options, async (t) => {
  const url = new URL(await freshPostgres());
  url.pathname = '/nowhere';
  await t.rejects(open(t, url.href), { code: 'database_unavailable', message: /"nowhere" does not exist/ });
});

t.test('a frequent statement is prepared once per connection and joins the transaction', options, async (t) => {
  const data = await open(t, await freshPostgres());
  const db = data.facade('kernel');
  const sql = 'INSERT INTO kernel_settings (key, value) VALUES ($1, $2) RETURNING key';
  const undone = new Error('undone');
  const work = db.transaction(async () => {
    for (const key of ['one', 'two']) await db.rows(sql, [key, '1'], { often: true });
    await db.run('UPDATE kernel_settings SET value = $1', ['2'], { often: true });
    await db.run('UPDATE kernel_settings SET value = $1 WHERE key = $2', ['3', 'one']);
    const ready = await db.rows('SELECT statement FROM pg_prepared_statements ORDER BY statement');
    t.strictSame(ready, [{ statement: sql }, { statement: 'UPDATE kernel_settings SET value = $1' }]);
    t.strictSame(await db.rows("SELECT key FROM kernel_settings WHERE key IN ('one', 'two') ORDER BY key"), [
      { key: 'one' },
      { key: 'two' },
    ]);
    throw undone;
  });
  await t.rejects(work, undone);
  t.strictSame(await db.rows("SELECT key FROM kernel_settings WHERE key IN ('one', 'two')"), []);
});

t.test('idle connections that were lost are replaced transparently', options, async (t) => {
  const url = await freshPostgres();
  const data = await open(t, url);
  const db = data.facade('kernel');
  const query = db.prepare<{ n: number }>('SELECT 1 AS n');
  await Promise.all(Array.from({ length: 5 }, () => query.get()));
  await terminate(url);
  t.strictSame(await query.get(), { n: 1 });
  await terminate(url);
  t.strictSame(await db.rows('SELECT 1 AS n'), [{ n: 1 }]);
  t.equal(await db.run('DELETE FROM kernel_settings'), 0);
});

t.test('a read whose connection is lost is retried once', options, async (t) => {
  const url = await freshPostgres();
  const data = await open(t, url);
  const db = data.facade('kernel');
  const slow = db.rows<{ n: number }>('SELECT 1 AS n, pg_sleep(0.5)');
  await t.resolves(until(() => db.rows("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.5)%' AND pid <> pg_backend_pid()")));
  await terminate(url);
  t.strictSame(
    (await slow).map(({ n }) => n),
    [1],
  );
});

t.test('a transaction whose connection is lost fails as a whole', options, async (t) => {
  const url = await freshPostgres();
  const data = await open(t, url);
  const db = data.facade('kernel');
  const work = db.transaction(async () => {
    await db.run("INSERT INTO kernel_settings (key, value) VALUES ('a', '1')");
    await terminate(url);
    await db.run("INSERT INTO kernel_settings (key, value) VALUES ('b', '2')");
  });
  await t.rejects(work, away);
  t.strictSame(await db.rows('SELECT * FROM kernel_settings'), []);
});

t.test('a connection that cannot write, as on a standby, is dropped', options, async (t) => {
  const data = await openData({
    url: await freshPostgres(),
    data_dir: await temporaryFolder(t),
    clock: systemClock,
    log: silentLog,
    connections: 1,
  });
  t.teardown(() => data.close());
  const db = data.facade('kernel');
  const process = () => db.rows('SELECT pg_backend_pid() AS pid');
  const before = await process();
  const work = db.transaction(async () => {
    await db.run('SET TRANSACTION READ ONLY');
    await db.run('DELETE FROM kernel_settings');
  });
  await t.rejects(work, { code: 'database_unavailable', status: 503 });
  t.notSame(await process(), before);
});

t.test('after a server crash only running requests fail', own, async (t) => {
  const server = await startOwnPostgres();
  t.teardown(() => server.dispose());
  const data = await open(t, await server.fresh());
  const db = data.facade('kernel');
  await Promise.all(Array.from({ length: 8 }, () => db.rows('SELECT pg_sleep(0.01)')));
  await server.stop();
  await t.rejects(data.ping(), away);
  await t.rejects(db.prepare('SELECT 1').all(), away);
  await t.rejects(
    db.transaction(() => db.run('DELETE FROM kernel_settings')),
    away,
  );
  await t.rejects(
    data.lock('start', () => Promise.resolve()),
    away,
  );
  await server.start();
  await t.resolves(data.ping());
  t.equal(await db.run('DELETE FROM kernel_settings'), 0);
});

t.test('deadlocks, long statements and locked rows are reported as busy', options, async (t) => {
  const data = await open(t, await freshPostgres());
  const db = data.facade('kernel');
  await db.run("INSERT INTO kernel_settings (key, value) VALUES ('a', '1'), ('b', '2')");
  const busy = { code: 'database_busy', status: 503, retry_after: 1 };
  const cross = (first: string, second: string) =>
    db.transaction(async () => {
      await db.run('UPDATE kernel_settings SET value = $1 WHERE key = $1', [first]);
      await db.rows('SELECT pg_sleep(0.2)');
      await db.run('UPDATE kernel_settings SET value = $1 WHERE key = $1', [second]);
    });
  const ends = await Promise.allSettled([cross('a', 'b'), cross('b', 'a')]);
  t.strictSame(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  t.match(
    ends.find((end) => end.status === 'rejected'),
    { reason: busy },
  );
  const slow = db.transaction(async () => {
    await db.run('SET LOCAL statement_timeout = 50');
    await db.rows('SELECT pg_sleep(5)');
  });
  await t.rejects(slow, busy);
  const { string, text } = db.columns;
  const Setting = db.define('settings', { key: string(128, { primaryKey: true }), value: text() });
  const model = (first: string, second: string) =>
    db.transaction(async () => {
      await Setting.update({ value: first }, { where: { key: first } });
      await db.rows('SELECT pg_sleep(0.2)');
      await Setting.update({ value: second }, { where: { key: second } });
    });
  const faults = (await Promise.allSettled([model('a', 'b'), model('b', 'a')])).filter((end) => end.status === 'rejected');
  t.match(faults, [{ reason: busy }], 'models report the same failures');
});

t.test('a wait in vain for a connection is reported as a busy server', options, async (t) => {
  const pool = new pg.Pool({ connectionString: await freshPostgres(), max: 1, connectionTimeoutMillis: 1_000 });
  const taken = await pool.connect();
  const thrown = await pool.connect().catch((error: unknown) => error);
  t.match(explain(thrown), { code: 'database_busy', status: 503 });
  taken.release();
  await pool.end();
});

t.test('transactions beyond the number of connections wait for their turn', options, async (t) => {
  const url = await freshPostgres();
  const data = await openData({ url, data_dir: await temporaryFolder(t), clock: systemClock, log: silentLog, connections: 2 });
  t.teardown(() => data.close());
  const db = data.facade('kernel');
  const add = (n: number) => db.transaction(() => db.run('INSERT INTO kernel_settings (key, value) VALUES ($1, $2)', [String(n), 'x']));
  await Promise.all(Array.from({ length: 40 }, (_, n) => add(n)));
  t.strictSame(await db.rows('SELECT count(*) AS n FROM kernel_settings'), [{ n: 40 }]);
});

/** Takes the lock 'start', until the work is let go; gives its end. */
async function hold(data: Data): Promise<{ end: Promise<void>; release: () => void }> {
  let release: () => void = () => undefined;
  let end: Promise<void> = Promise.resolve();
  await new Promise<void>((taken) => {
    end = data.lock('start', async () => {
      taken();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
  });
  return { end, release };
}

t.test('a lock whose connection is lost is released, and its work fails', options, async (t) => {
  const url = await freshPostgres();
  const [first, second] = [await open(t, url), await open(t, url)];
  const { end, release } = await hold(first);
  const told = t.rejects(end, { code: 'database_unavailable', status: 503, message: /^The lock 'start' was lost with its connection/ });
  await terminate(url);
  t.equal(await second.lock('start', () => Promise.resolve('mine')), 'mine');
  release();
  await told;
});

t.test('a lock is kept on a server that closes idle connections', options, async (t) => {
  const url = await freshPostgres();
  const [first, second] = [await open(t, url), await open(t, url)];
  await first.facade('kernel').run(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET idle_session_timeout = 100`);
  const { end, release } = await hold(first);
  const later = new pg.Client({ connectionString: url });
  const ended = new Promise<Error>((resolve) => later.on('error', resolve));
  await later.connect();
  t.match(await ended, { code: '57P05' });
  await t.rejects(
    second.lock('start', () => Promise.resolve(), { timeout_ms: 50 }),
    { code: 'database_busy' },
  );
  release();
  await end;
});

t.test('a row of the outbox has the number of its transaction', options, async (t) => {
  const data = await open(t, await freshPostgres());
  const db = data.facade('kernel');
  const emit = () => db.run("INSERT INTO kernel_outbox (topic, payload, emitted_at) VALUES ('a', '{}', '')");
  await db.transaction(async () => {
    await emit();
    await emit();
  });
  await emit();
  const rows = await db.rows<{ id: number; txid: number }>('SELECT id, txid FROM kernel_outbox ORDER BY id');
  t.strictSame(
    rows.map(({ id }) => id),
    [1, 2, 3],
  );
  t.equal(rows[0]?.txid, rows[1]?.txid);
  t.ok((rows[2]?.txid ?? 0) > (rows[0]?.txid ?? 0));
});

async function until(ask: () => Promise<object[]>): Promise<void> {
  const end = Date.now() + 30_000;
  while ((await ask()).length === 0) if (Date.now() > end) throw new Error('It did not happen within 30 s');
}
