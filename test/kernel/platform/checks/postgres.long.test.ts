import t from 'tap';
import { freshPostgres } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { startPlatform } from '../../../helpers/platform.js';
import { checkOf } from './world.js';

const inside = { listen: false, background: false };

t.test('checks of PostgreSQL', { skip: skipWithout('postgres') }, async (t) => {
  const hour_ms = 3_600_000;
  const database_url = await freshPostgres();
  const platform = await startPlatform(t, { ...inside, extensions: [], settings: { database_url } });
  t.match(await checkOf(platform, 'database_clock'), { ok: true, message: 'The clocks of the database and of this machine agree' });
  t.match(await checkOf(platform, 'database_held'), { ok: true });
  t.match(await checkOf(platform, 'events_held'), { ok: true });

  await t.test('a clock that differs is red, with the difference', async (t) => {
    const clock = { now: () => Date.now() + hour_ms };
    const ahead = await startPlatform(t, { ...inside, extensions: [], clock, settings: { database_url, data_dir: platform.data_dir } });
    t.match(await checkOf(ahead, 'database_clock'), {
      ok: false,
      message: /^The clock of the database is 3600 s behind this machine's/,
      fix: /sudo timedatectl set-ntp true/,
    });
  });

  await t.test('another instance without a shared bus is red', async (t) => {
    const serving = { listen: false, background: true, extensions: [] };
    const lone = await startPlatform(t, { ...serving, settings: { database_url: await freshPostgres() } });
    const settings = { database_url: lone.database_url, data_dir: lone.data_dir };
    const command = await startPlatform(t, { ...inside, extensions: [], settings });
    t.match(
      await checkOf(lone, 'instances'),
      { ok: true, message: 'No other instance uses this database' },
      'a command does not count as an instance',
    );
    t.match(
      await checkOf(command, 'instances'),
      { ok: true, message: '1 more instance uses this database' },
      'a command sees the instances',
    );
    await command.kernel.close();
    const second = await startPlatform(t, { ...serving, settings });
    const red = { ok: false, message: /^1 more instance uses this database without a shared bus/, fix: /PLATFORM_BUS_URL=redis:/ };
    for (const one of [lone, second]) t.match(await checkOf(one, 'instances'), red);
    await second.kernel.close();
    await until(
      () => checkOf(lone, 'instances'),
      (check) => check?.ok === true,
    );
  });

  await t.test('a session that blocks others is red', async (t) => {
    const { default: pg } = await import('pg');
    const client = async () => {
      const made = new pg.Client({ connectionString: database_url, application_name: 'reporting' });
      await made.connect();
      t.teardown(() => made.end());
      return made;
    };
    const [holder, waiter] = [await client(), await client()];
    const pid = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    await holder.query('BEGIN; LOCK TABLE kernel_migrations');
    const waiting = waiter.query('SELECT * FROM kernel_migrations');
    const found = await until(
      () => checkOf(platform, 'database_held'),
      (check) => check?.ok === false,
    );
    t.match(found, {
      message: `The PostgreSQL process ${pid} (reporting) holds a lock on the database that blocks others`,
      since: /^20/,
      fix: `end its session with: psql "$PLATFORM_DATABASE_URL" -c 'SELECT pg_terminate_backend(${pid})'`,
    });
    await holder.query('ROLLBACK');
    await waiting;
  });
});
