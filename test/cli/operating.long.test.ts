import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { shellFor, withoutTerminal } from './shell.js';

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

t.test('status and backup work with a running server', async (t) => {
  const shell = await shellFor(t, { PLATFORM_SEATS: '5' });
  const server = await shell.serve(t);
  const home = shell.env.HOME ?? '';
  const overHttp = shell.with({ PLATFORM_DATA_DIR: '', PLATFORM_URL: server.url, PLATFORM_TOKEN: await token() });

  async function token(): Promise<string> {
    const { stdout } = await shell.run(['token', 'create', 'test', '--json', 'token']);
    return (JSON.parse(stdout) as { token: string }).token;
  }

  await t.test('status has the same output over the socket and over HTTP', async (t) => {
    for (const way of [shell, overHttp]) {
      const { stdout } = await way.run(['status']);
      t.match(stdout, /^state\t.+\nversion\t/);
      t.match(stdout, `address\t${server.url}\t\n`);
      t.match(stdout, 'seats\t1 in use of 5\t\n');
      const answer = JSON.parse((await way.run(['status', '--json'])).stdout);
      t.match(answer, { state: /well|red/, pid: server.child.pid, seats: { used: 1, limit: 5 }, red: [] });
    }
  });

  await t.test('status fails on red checks and shows them with their fix', async (t) => {
    await shell.run(['call', 'plugins.disable', '--json', '{"name":"schedules"}']);
    t.match((await shell.run(['status'])).stdout, /^extensions\t8 active, 1 disabled\t$/m);
    // A member may not ask.
    const { stdout } = await shell.run(['token', 'create', 'reader', '--scopes', 'read', '--json', 'token']);
    const reader = overHttp.with({ PLATFORM_TOKEN: (JSON.parse(stdout) as { token: string }).token });
    t.match(await reader.run(['status']), { code: 4, stdout: '' });
  });

  await t.test("backup prints the archive's record, and the copy equals the server's archive", async (t) => {
    for (const [index, way] of [shell, overHttp].entries()) {
      const out = join(home, `copy-${index}.tar`);
      const { code, stdout, stderr } = await way.run(['backup', '--out', out, '--json']);
      const { sha256, file, bytes, path } = JSON.parse(stdout);
      t.strictSame([code, path, hashOf(out), statSync(out).size], [0, out, sha256, bytes]);
      t.equal(hashOf(join(shell.data_dir, 'backups', file)), sha256);
      t.equal(statSync(out).mode & 0o777, 0o600);
      t.notMatch(stderr, '\u001B', 'no progress is shown in a pipe');
    }
    const { code, stdout } = await shell.run(['backup', '--out', home, '--keep', '1']);
    const [path = ''] = stdout.split('\t');
    t.strictSame([code, readdirSync(join(shell.data_dir, 'backups'))], [0, [path.slice(home.length + 1)]]);
    t.strictSame(
      readdirSync(home).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  await t.test('backup reports wrong input before writing anything', async (t) => {
    t.match(await shell.run(['backup', '--out', join(home, 'absent', 'x.tar')]), { code: 2, stderr: /There is no folder '.*absent'/ });
    t.match(await shell.run(['backup', '--keep', 'all']), { code: 2, stderr: /'all' for --keep is not a number/ });
    t.match(await shell.run(['backup', '--keep', '0']), { code: 2, stderr: /keep/ });
    t.equal(readdirSync(join(shell.data_dir, 'backups')).length, 1);
  });

  await t.test('on a terminal status is a list of keys and values', { skip: withoutTerminal }, async (t) => {
    const { stdout } = await shell.terminal(['status']).ended;
    t.match(stdout, /^state: +/);
    t.match(stdout, /\[3[12]m(all is well|red)/);
    t.match(stdout, new RegExp(`^address: +${server.url}\r$`, 'm'));
  });
});

t.test('without a server status says so and creates no data folder', async (t) => {
  const shell = await shellFor(t);
  t.match(await shell.run(['status']), { code: 6, stdout: /^state\tstopped: no server is running on .*\tstart it with: platform serve/ });
  t.match(JSON.parse((await shell.run(['status', '--json'])).stdout), { state: 'stopped' });
  t.throws(() => statSync(shell.data_dir), { code: 'ENOENT' });
  const gone = shell.with({ PLATFORM_DATA_DIR: '', PLATFORM_URL: 'http://127.0.0.1:1' });
  t.match(await gone.run(['status']), { code: 6, stdout: '', stderr: /can't be reached/ });
});
