import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import t from 'tap';
import { freshPostgres } from '../helpers/databases.js';
import { Link } from '../helpers/link.js';
import { skipWithout } from '../helpers/parts.js';
import { main, Running, type Shell, shellFor } from './shell.js';

interface Finding {
  extension: string;
  code: string;
  ok: boolean;
  message: string;
  since: string | null;
  fix: string | null;
}

/** A container that refuses walls around plugins is one in which not all is well. */
const refused = skipWithout('namespaces') === false ? [0, []] : [1, ['plugin_walls']];

async function findings(shell: Shell): Promise<{ code: number | null; all: Finding[]; red: Finding[] }> {
  const { code, stdout } = await shell.run(['doctor', '--json']);
  const all = JSON.parse(stdout) as Finding[];
  return { code, all, red: all.filter(({ ok }) => !ok) };
}

t.test('all checks are green with a server and without one', async (t) => {
  const shell = await shellFor(t);
  const server = await shell.serve(t);
  const running = await findings(shell);
  t.strictSame([running.code, running.red.map(({ code }) => code)], refused);
  const kernel = running.all.filter(({ extension }) => extension === 'kernel').map(({ code }) => code);
  t.ok(kernel.includes('database') && kernel.includes('bus'));
  t.match(running.all, [{ code: 'node_version' }, { code: 'server', message: `A server runs on ${shell.data_dir}` }]);
  server.child.kill('SIGTERM');
  await server.ended;
  const alone = await findings(shell);
  t.strictSame([alone.code, alone.red.map(({ code }) => code)], refused);
  t.match(alone.all, [
    {},
    { code: 'server', message: `No server is running on ${shell.data_dir}; the checks ran without one` },
    { code: 'port' },
  ]);
  t.match((await shell.run(['doctor'])).stdout, /^ok\tkernel\tdatabase\tThe database \(sqlite\) answers\t\t$/m);
});

t.test(
  'doctor is red on a machine without plugin walls and names what that leaves open',
  { skip: skipWithout('namespaces') },
  async (t) => {
    const { env } = await (await shellFor(t)).install();
    // A root without rights, in a user namespace that has no room for another.
    const refusing = 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -all --inh-caps -all -- "$@"';
    const line = ['--map-root-user', 'sh', '-c', refusing, 'sh', process.execPath, main, 'doctor', '--json'];
    const { code, stdout } = await new Running(spawn('unshare', line, { env, cwd: env.HOME })).ended;
    const red = (JSON.parse(stdout) as Finding[]).filter(({ ok }) => !ok);
    t.match(
      [code, red],
      [1, [{ extension: 'kernel', code: 'plugin_walls', since: null, fix: 'sudo sysctl -w user.max_user_namespaces=15000' }]],
    );
    t.match(red[0]?.message, /^Walls around plugins do not hold: user \(.*network \(.*files \(.*A plugin could .*connect to this machine/);
  },
);

t.test('doctor reports that the caller is not an administrator', async (t) => {
  const shell = await shellFor(t);
  const { url } = await shell.serve(t);
  t.match(await shell.run(['doctor', '--url', url]), { code: 4, stdout: '', stderr: /hint: log in with: platform login/ });
});

t.test('a used port is red with a command that helps', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  t.teardown(() => blocker.close());
  const { port } = blocker.address() as AddressInfo;
  const { code, red } = await findings((await (await shellFor(t)).install()).with({ PLATFORM_PORT: String(port) }));
  const fix = 'choose another port with: platform serve --port 0';
  const message = `A server could not listen on 127.0.0.1:${port} (EADDRINUSE): process ${process.pid} (node) listens there`;
  t.match([code, red], [1, [{ extension: 'cli', code: 'port_in_use', ok: false, message, since: /^20/, fix }]]);
});

t.test(
  'doctor does not report the port of a running server as used while its database is unavailable',
  { skip: skipWithout('postgres') },
  async (t) => {
    const database = new URL(await freshPostgres());
    const link = await Link.to(Number(database.port));
    t.teardown(() => link.close());
    database.port = String(link.port);
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    t.teardown(() => blocker.close());
    const shell = await shellFor(t, { PLATFORM_DATABASE_URL: database.href });
    const server = await shell.serve(t);
    link.set({ kind: 'cut' });
    const taken = (blocker.address() as AddressInfo).port;
    const ports = { 'another port than the settings of the command': taken, 'its own port': Number(new URL(server.url).port) };
    for (const [name, port] of Object.entries(ports)) {
      const { code, all, red } = await findings(shell.with({ PLATFORM_PORT: String(port) }));
      t.strictSame([code, red.map((one) => one.code)], [1, ['database_unavailable']], name);
      t.match(all, [{}, { code: 'server', ok: true, message: `A server runs on ${shell.data_dir}` }, {}, { code: 'disk', ok: true }]);
    }
  },
);

t.test("doctor shows obstacles to the platform's start as red", async (t) => {
  const folder = await shellFor(t);
  const file = `${folder.env.HOME}/file`;
  writeFileSync(file, '');
  const unwritable = await findings(folder.with({ PLATFORM_DATA_DIR: `${file}/data` }));
  t.match([unwritable.code, unwritable.red[0]], [6, { code: 'no_installation', fix: /--data-dir/ }]);
  const wrong = await findings(folder.with({ PLATFORM_PORT: 'x' }));
  t.match([wrong.code, wrong.red], [1, [{ code: 'config_invalid', message: /PLATFORM_PORT/ }]]);
  const away = await folder.run(['doctor', '--json', '--url', 'http://127.0.0.1:1']);
  t.match([away.code, JSON.parse(away.stdout)], [1, [{ ok: true }, { code: 'unreachable', ok: false }]]);
});
