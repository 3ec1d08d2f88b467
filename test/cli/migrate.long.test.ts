import { once } from 'node:events';
import { existsSync } from 'node:fs';
import pg from 'pg';
import t from 'tap';
import { freshPostgres } from '../helpers/databases.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { type Shell, shellFor } from './shell.js';

t.test('migrate', { skip: skipWithout('postgres') }, async (t) => {
  const shell = await shellFor(t);
  const to = await freshPostgres();
  const client = new pg.Client({ connectionString: to });
  await client.connect();
  t.teardown(() => client.end());
  const empty = async () => (await client.query("SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace")).rowCount === 0;

  await t.test('migrate reports missing or wrong input before changing anything', async (t) => {
    t.match(await shell.run(['migrate']), { code: 2, stderr: /The target database is missing\nhint: as in: --to postgres:/ });
    t.match(await shell.run(['migrate', '--to', to]), { code: 6, stderr: /There is no platform in / });
    t.notOk(existsSync(shell.data_dir), 'no folder was created');
    await shell.install();
    t.match(await shell.run(['migrate', '--to', 'mysql://x']), { code: 2, stderr: /must have the form postgres:/ });
    for (const address of ['postgres://ada:sesame@host/db', 'postgres://ada@host/db?password=sesame']) {
      const refused = await shell.run(['migrate', '--to', address]);
      t.match(refused, {
        code: 2,
        stderr: /Every process of the machine can read a password in an argument\nhint: pipe the address in with --to-stdin/,
      });
      t.notMatch(refused.stderr, 'sesame');
    }
    t.match(await shell.run(['migrate', '--to', to, '--to-stdin'], to), { code: 2, stderr: /named twice/ });
  });

  await t.test('migrate is rejected while a server runs and says how to stop it', async (t) => {
    const server = await shell.serve(t);
    t.equal((await shell.run(['chat', 'send', 'Good morning'])).code, 0);
    t.match(await shell.run(['migrate', '--to', to]), { code: 1, stderr: new RegExp(`hint: end it with: kill ${server.child.pid}`) });
    server.child.kill('SIGTERM');
    await server.ended;
    t.ok(await empty());
  });

  await t.test('migrate killed in the middle leaves the database empty and can run again', async (t) => {
    await client.query('CREATE SCHEMA apart');
    await client.query(`CREATE FUNCTION apart.wait() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'public.members_members') THEN PERFORM pg_sleep(3); END IF;
      END $$`);
    await client.query("CREATE EVENT TRIGGER waiting ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION apart.wait()");
    const running = shell.start(['migrate', '--to', to]);
    const sleeping = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    await until(
      async () => (await client.query(sleeping)).rowCount,
      (count) => count === 1,
    );
    running.child.kill('SIGKILL');
    await once(running.child, 'close');
    await client.query('DROP EVENT TRIGGER waiting');
    t.ok(await empty());
    t.match(await whoami(shell), { code: 0, stdout: /admin/ }, 'the SQLite file still works');
  });

  await t.test('migrate shows each table with its hash and how to serve from PostgreSQL', async (t) => {
    const { code, stdout, stderr } = await shell.run(['migrate', '--to-stdin'], `${to}\n`);
    t.equal(code, 0, stderr);
    t.match(stdout, /^members_members\t2\t[0-9a-f]{64}$/m);
    t.match(stdout, /^chat_messages\t\d\t[0-9a-f]{64}$/m);
    const variables = Object.fromEntries([...stderr.matchAll(/^ {2}export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
    t.same(variables, { PLATFORM_DATABASE_URL: to, PLATFORM_DATA_DIR: shell.data_dir });

    const there = shell.with(variables as Record<string, string>);
    const server = await there.serve(t);
    const login = await fetch(`${server.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: adminPassword }),
    });
    t.equal(login.status, 200, 'the earlier password is valid');
    t.match(await there.run(['status', '--json', 'database']), { stdout: /postgres/ });
    t.match((await there.run(['chat', 'sessions'])).stdout, 'Good morning');
    t.match(await there.run(['migrate']), { code: 5, stderr: /not empty.*\nhint: / }, 'the default target is PLATFORM_DATABASE_URL');
  });
});

function whoami(shell: Shell) {
  return shell.run(['whoami', '--json', 'username']);
}
