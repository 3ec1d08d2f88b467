import t, { type Test } from 'tap';
import { eventsHeld } from '../../../../kernel/platform/checks/events-held.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, type Place, systemClock } from '../../../helpers/databases.js';

t.test('an open transaction that delays events, even of another database, is reported with its owner', (t) => {
  const work = async (t: Test, data: Data, { url }: Place) => {
    const later = { now: () => Date.now() + 60_000 };
    const db = data.facade('kernel');
    const emit = (topic: string) =>
      db.run("INSERT INTO kernel_outbox (topic, payload, emitted_at) VALUES ($1, '{}', $2)", [topic, systemClock.iso()]);
    await db.run("INSERT INTO kernel_listeners (extension, topic) VALUES ('watch', 'heard')");
    if (data.dialect === 'sqlite') {
      await emit('heard');
      t.equal(await eventsHeld(data, later), undefined);
      return;
    }
    const { default: pg } = await import('pg');
    const holder = new pg.Client({ connectionString: new URL('/postgres', url).href, application_name: 'reporting' });
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('BEGIN');
    const { rows } = await holder.query<{ pid: number; database: string }>(
      'SELECT pg_backend_pid() AS pid, current_database() AS database, pg_current_xact_id()',
    );
    await emit('unheard');
    t.match(await eventsHeld(data, later), { ok: true }, 'no event waits for the transaction');
    await emit('heard');
    t.match(await eventsHeld(data, systemClock), { ok: true }, 'the transaction is not open for long');
    t.match(await eventsHeld(data, later), {
      ok: false,
      message: `Events wait for a transaction of the PostgreSQL process ${rows[0]?.pid} (reporting, database ${rows[0]?.database})`,
      since: /^20/,
      fix: `end its session with: psql "$PLATFORM_DATABASE_URL" -c 'SELECT pg_terminate_backend(${rows[0]?.pid})'`,
    });
    await holder.query('COMMIT');
    t.match(await eventsHeld(data, later), { ok: true });
  };
  return eachDatabase(t, work, { alone: true });
});
