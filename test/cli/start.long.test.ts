import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import sqlite3 from 'sqlite3';
import t from 'tap';
import { freshPostgres } from '../helpers/databases.js';
import { skipWithout } from '../helpers/parts.js';
import { startRedis } from '../helpers/redis.js';
import { shellFor } from './shell.js';

t.test('an obstacle to the start is reported in one sentence with exit code 1', async (t) => {
  const shell = await shellFor(t);
  const fails = async (env: Record<string, string>, sentence: RegExp) => {
    const { code, stdout, stderr } = await shell.with({ PLATFORM_LOG_LEVEL: 'silent', ...env }).run(['serve']);
    t.strictSame([code, stdout], [1, '']);
    t.match(stderr, sentence);
    t.match(stderr, /^platform: .*\nhint: .*\n$/);
  };
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  t.teardown(() => blocker.close());
  const { port } = blocker.address() as AddressInfo;
  await fails({ PLATFORM_PORT: String(port) }, new RegExp(`Port ${port} `));
  writeFileSync(`${shell.env.HOME}/file`, '');
  await fails({ PLATFORM_DATA_DIR: `${shell.env.HOME}/file/data` }, /The data folder .* can't be written/);
  const corrupt = `${shell.env.HOME}/corrupt`;
  mkdirSync(corrupt);
  const garbage = 'this is no database'.repeat(1000);
  writeFileSync(`${corrupt}/platform.db`, garbage);
  await fails({ PLATFORM_DATA_DIR: corrupt }, /platform\.db/);
  t.equal(readFileSync(`${corrupt}/platform.db`, 'utf8'), garbage, 'the data is unchanged');
  await shell.serve(t);
  await fails({}, /The data folder .* is in use by process \d+/);
  const second = { PLATFORM_DATA_DIR: `${shell.env.HOME}/second`, PLATFORM_DATABASE_URL: `sqlite:${shell.data_dir}/platform.db` };
  await fails(second, /platform\.db is in use by process \d+ \(node\): SQLite allows one instance only, several need PostgreSQL and Redis/);
  const found = await shell.with(second).run(['doctor', '--json']);
  const red = (JSON.parse(found.stdout) as { code: string; ok: boolean; fix: string }[]).filter(({ ok }) => !ok);
  t.match(red, [{ code: 'database_in_use', fix: /^end it with: kill \d+; or give all of them PLATFORM_DATABASE_URL=postgres:/ }]);
  await fails({ PLATFORM_BUS_URL: 'redis://127.0.0.1:1' }, /bus_url connects several instances, but SQLite serves only one/);
});

t.test('the server starts and stops in the same way on PostgreSQL and Redis', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  const PLATFORM_SECRET_KEY = 'k'.repeat(32);
  const shell = await shellFor(t, { PLATFORM_DATABASE_URL: await freshPostgres(), PLATFORM_BUS_URL: redis.url, PLATFORM_SECRET_KEY });
  const server = await shell.serve(t);
  t.equal(readFileSync(`${shell.data_dir}/platform.pid`, 'utf8'), `${server.child.pid}\n`);
  const viaSocket = await shell.run(['member', 'list']);
  t.match([viaSocket.code, viaSocket.stdout], [0, /^1\tadmin\t/]);
  // Another instance, with a data folder of its own, for the time of one command.
  const beside = shell.with({ PLATFORM_DATA_DIR: `${shell.env.HOME}/beside` });
  t.strictSame(await beside.run(['member', 'list']), viaSocket);
  server.child.kill('SIGTERM');
  t.equal((await server.ended).code, 0);
  t.notOk(existsSync(`${shell.data_dir}/platform.pid`));
  t.strictSame(await shell.run(['member', 'list']), viaSocket);
  await redis.stop();
  const { code, stderr } = await shell.run(['serve']);
  t.equal(code, 1);
  t.match(stderr, /platform: /);
});

t.test('a schema newer than the program is reported in one sentence, and the data is unchanged', async (t) => {
  for (const owner of ['kernel', 'members', 'chat']) {
    const shell = await shellFor(t, { PLATFORM_LOG_LEVEL: 'silent' });
    const server = await shell.serve(t);
    server.child.kill('SIGTERM');
    await server.ended;
    const file = `${shell.data_dir}/platform.db`;
    await change(file, `INSERT INTO kernel_migrations (owner, name, ran_at) VALUES ('${owner}', '9999-later', '2030-01-01')`);
    const before = readFileSync(file);
    const { code, stdout, stderr } = await shell.run(['serve']);
    t.strictSame([code, stdout], [1, '']);
    t.match(
      stderr,
      new RegExp(
        `^platform: .*newer version of '${owner}'.*9999-later.*\nhint: install the newer version of the program and start it; .*\n$`,
      ),
    );
    t.strictSame(readFileSync(file), before);
  }
});

/** Runs a statement on a database file that nobody has open. */
function change(file: string, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file);
    db.exec(sql, (fault) => db.close((late) => (fault || late ? reject(fault ?? late) : resolve())));
  });
}
