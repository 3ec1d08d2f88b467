import { spawn } from 'node:child_process';
import t from 'tap';
import { sharedSettings } from '../helpers/cluster.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { main, Running, shellFor, withoutTerminal } from './shell.js';

const shell = await shellFor(t);
const server = await shell.serve(t);

const follows = (running: Running, line = 'following from ') =>
  until(
    () => running.stderr,
    (text) => text.includes(line),
  );
const events = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

t.test('events are JSON lines, resume from a cursor without a gap, and are the same over HTTP', async (t) => {
  const following = shell.start(['tail', '--count', '1', '--topics', 'extensions']);
  await follows(following);
  await shell.run(['notify', 'One', '--to', '1']);
  const { code, stdout, stderr } = await following.ended;
  t.equal(code, 0);
  const told = events(stdout).at(-1);
  t.match(told, { type: 'notification', data: { title: 'One' }, cursor: /^member:1\./ });
  t.equal(stderr.split('\n')[1], `continue with: platform tail --after ${String(told?.cursor)}`);

  await shell.run(['notify', 'Two']);
  const http = shell.with({ PLATFORM_DATA_DIR: '' });
  await http.run(['login', '--url', server.url, '--username', 'admin', '--password-stdin'], adminPassword);
  for (const way of [shell, http]) {
    const next = await way.run(['tail', '--after', String(told?.cursor), '--count', '1', '--json', 'type,cursor']);
    t.match(events(next.stdout), [{ type: 'notification', cursor: /^member:1\./ }]);
  }
  t.match((await shell.run(['tail', '--after', 'member:1.0123.9', '--for', '1s'])).stderr, /Events may be missing here/);
});

t.test('on a terminal tail prints one line for each event, and Ctrl-C ends it', { skip: withoutTerminal }, async (t) => {
  const following = shell.terminal(['tail']);
  await following.shows('following from ');
  await shell.run(['notify', 'Three']);
  await following.shows(/\d\d:\d\d:\d\d {2}notification +.*title=Three.*\r\n/);
  following.type('\u0003');
  t.equal((await following.ended).code, 130);
  t.match(following.stdout, /continue with: platform tail --after member:1\./);
});

t.test('tail reports invalid options, an unreachable server and a wrong token', async (t) => {
  t.strictSame(await shell.run(['tail', '--topics', 'nothing']), {
    code: 3,
    stdout: '',
    stderr: "platform: There is no topic 'nothing'\n",
  });
  t.match(await shell.run(['tail', '--after', 'nonsense']), {
    code: 2,
    stdout: '',
    stderr: /'nonsense' for --after is not a cursor\nhint: /,
  });
  t.match(await shell.run(['tail', '--count', 'x']), { code: 2, stderr: /not a number of events/ });
  t.match(await shell.run(['tail', '--json', 'type,when']), {
    code: 2,
    stderr: /no field 'when'\nhint: there are: ts, type, data, cursor/,
  });
  t.match(await shell.run(['tail', '--for', '1d']), { code: 2, stderr: /'1d' for --for is not a duration/ });
  t.match(await shell.run(['tail', '--url', 'http://127.0.0.1:1']), { code: 6, stdout: '' });
  const stranger = shell.with({ PLATFORM_DATA_DIR: '', PLATFORM_URL: server.url, PLATFORM_TOKEN: 'plat_wrong' });
  t.match(await stranger.run(['tail']), { code: 4, stdout: '' });
});

t.test('without a server tail prints current and stored events', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const { database_url, bus_url, secret_key } = await sharedSettings(t);
  const alone = await shellFor(t, {
    PLATFORM_DATABASE_URL: String(database_url),
    PLATFORM_BUS_URL: String(bus_url),
    PLATFORM_SECRET_KEY: String(secret_key),
  });
  await alone.install();
  await alone.run(['notify', 'Before']);
  const following = alone.start(['tail', '--count', '1', '--topics', 'extensions']);
  await follows(following);
  await alone.run(['notify', 'One', '--to', '1']);
  const { code, stdout, stderr } = await following.ended;
  t.equal(code, 0, stderr);
  t.match(stderr, /^No server is running on .*\nfollowing from member:1\./);
  const told = events(stdout).at(-1);
  t.match(told, { type: 'notification', data: { title: 'One' }, cursor: /^member:1\./ });
  await alone.run(['notify', 'Two']);
  const next = await alone.run(['tail', '--after', String(told?.cursor), '--count', '1']);
  t.match(events(next.stdout), [{ type: 'notification', data: { title: 'Two' } }]);
});

t.test("the reader of tail's output may leave at any time", async (t) => {
  const piped = (line: string) => {
    const words = line.replace('platform', `'${process.execPath}' '${main}'`);
    return new Running(spawn('bash', ['-c', `set -o pipefail; ${words}`], { env: shell.env, cwd: shell.env.HOME }));
  };
  const following = piped('platform tail | head -n 1');
  await follows(following);
  for (const title of ['Five', 'Six']) await shell.run(['notify', title]);
  t.match(await following.ended, { code: 0, stdout: /"title":"Five"/ });
});

t.test('tail follows a server again after a restart', async (t) => {
  const following = shell.start(['tail']);
  await follows(following);
  server.child.kill('SIGKILL');
  await server.ended;
  await shell.serve(t);
  await follows(following, 'Reconnected');
  await shell.run(['notify', 'Four']);
  await following.shows('"title":"Four"');
  following.child.kill('SIGINT');
  const { code, stderr } = await following.ended;
  t.equal(code, 130);
  t.match(stderr, /The connection was lost[\s\S]*Reconnected/);
});
