import t, { type Test } from 'tap';
import { type Shell, shellFor } from '../cli/shell.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { Screen } from './screen.js';

const skip = skipWithout('tmux');

interface Served {
  local: Shell;
  http: Shell;
  url: string;
}

/** A server with somebody in it, and the ways to it. */
async function served(t: Test): Promise<Served> {
  const local = await shellFor(t);
  const { url } = await local.serve(t);
  const http = local.with({ PLATFORM_DATA_DIR: '' });
  await http.run(['login', '--url', url, '--username', 'admin', '--password-stdin'], adminPassword);
  await local.run(['member', 'create', 'grace', '--password-stdin'], 'nanoseconds');
  return { local, http, url };
}

/** Asserts that the frame lies on the screen as it should. */
function isWhole(t: Test, lines: readonly string[], rows: number): void {
  t.match(lines[0], /^platform {2}/, 'the header is the first line');
  t.equal(lines.length, rows);
  t.match(lines[rows - 2], /<\?> help/, 'the footer is the last but one');
}

t.test('the dashboard shows the same installation over HTTP and the local socket', { skip }, async (t) => {
  const { http, local, url } = await served(t);
  const ways: [string, Shell, string][] = [
    ['http', http, url],
    ['local', local, 'local socket of'],
  ];
  for (const [name, shell, place] of ways) {
    await t.test(name, async (t) => {
      const screen = await Screen.open(t, shell);
      const lines = await screen.shows(/Requests +\d/);
      t.match(lines[0], place);
      t.match(lines[0], /admin \(admin\) {2}connected$/);
      isWhole(t, lines, 24);
      await screen.go('members');
      isWhole(t, await screen.shows(/grace +grace +member +offline/), 24);
      t.match((await screen.lines()).join('\n'), /admin +admin +admin +online/);
      await screen.go('journal');
      await screen.shows(/\d+ events?/);
      await local.run(['notification', 'send', `Told by ${name}`, 'The table is booked.']);
      await screen.shows(new RegExp(`\\d\\d:\\d\\d\\.\\d{3} +notification .*Told by ${name}`));
      await screen.keys('q');
      await screen.shows('left with 0');
      t.same(await screen.state(), { cursor: true, alternate: false });
    });
  }
});

t.test('keys give help, details, JSON, filter and removal, and change nothing with --readonly', { skip }, async (t) => {
  const { local } = await served(t);
  const screen = await Screen.open(t, local, { args: ['tui', 'members'] });
  await screen.shows('grace');
  await screen.keys('?');
  await screen.shows(/ctrl-d +remove/);
  await screen.keys('Escape');
  await screen.shows('USERNAME');
  await screen.keys('/');
  await screen.type('gra');
  await screen.shows('/gra_');
  await screen.keys('Enter');
  await screen.shows('/gra  1 of');
  await screen.keys('y');
  await screen.shows('"username": "grace"');
  await screen.keys('Escape');
  await screen.shows('USERNAME');
  await screen.keys('Enter');
  await screen.shows(/User name +grace/);
  // A key directly behind Escape may be read as one with Alt.
  await screen.keys('Escape');
  await screen.shows('USERNAME');
  await screen.keys('C-d');
  await screen.shows('Delete grace with its chat sessions');
  await screen.keys('y');
  await screen.shows("No match for 'gra'");
  t.notMatch((await local.run(['member', 'list'])).stdout, 'grace');

  const readonly = await Screen.open(t, local, { args: ['tui', 'members', '--readonly'] });
  const lines = await readonly.shows(/> +1 +admin/);
  t.match(lines[0], 'read-only');
  await readonly.keys('?');
  t.notMatch((await readonly.shows('json')).join('\n'), 'remove');
});

t.test('the dashboard fits each size or says so, and uses colours only if wanted', { skip }, async (t) => {
  const { local } = await served(t);
  const screen = await Screen.open(t, local, { args: ['tui', 'members'], env: { NO_COLOR: '' } });
  await screen.shows('grace');
  t.ok((await screen.lines({ escapes: true })).some((line) => line.includes('\u001B[')));
  for (const [columns, rows] of [
    [120, 40],
    [60, 12],
    [40, 10],
  ] as const) {
    await screen.resize(columns, rows);
    const lines = await until(
      () => screen.lines(),
      (found) => found.length === rows && /^platform/.test(found[0] ?? '') && /^<\?> help/.test(found[rows - 2] ?? ''),
    );
    isWhole(t, lines, rows);
    t.ok(lines.every((line) => line.length <= columns));
  }
  await screen.resize(30, 8);
  await screen.shows('Enlarge the window');
  await screen.resize(80, 24);
  await screen.shows('USERNAME');
  const plain = await Screen.open(t, local, { args: ['tui', 'members'], env: { NO_COLOR: '1' } });
  await plain.shows('grace');
  t.notOk((await plain.lines({ escapes: true })).some((line) => line.includes('\u001B[')));
});

t.test('the dashboard shows a lost connection, and changes after its return', { skip }, async (t) => {
  const shell = await shellFor(t);
  const first = await shell.serve(t);
  const screen = await Screen.open(t, shell, { args: ['tui', 'members'] });
  await screen.shows('connected');
  await screen.shows('assistant');
  first.child.kill('SIGTERM');
  await first.ended;
  await screen.shows(/reconnecting for \d/);
  t.match((await screen.lines()).join('\n'), 'assistant', 'the last values stay visible');
  const second = await shell.serve(t);
  await shell.run(['member', 'create', 'late', '--is-virtual']);
  await screen.shows(/^platform.* connected$/m);
  await screen.shows(/late +late/);
  t.ok(second.url);
});

t.test('without a server the dashboard locks the data folder, and other commands name its process', { skip }, async (t) => {
  const shell = await (await shellFor(t)).install();
  await shell.run(['member', 'create', 'grace', '--password-stdin'], 'nanoseconds');
  const screen = await Screen.open(t, shell, { args: ['tui', 'members'] });
  const lines = await screen.shows('grace');
  t.match(lines[0], 'direct: this process uses');
  const second = await shell.run(['member', 'list']);
  t.not(second.code, 0);
  t.match(second.stderr, `process ${await screen.pid()}`);
  await screen.keys('q');
  await screen.shows('left with 0');
  t.equal((await shell.run(['member', 'list'])).code, 0);
});

t.test('any signal that ends the dashboard restores the terminal', { skip }, async (t) => {
  const { local } = await served(t);
  const clean = { cursor: true, alternate: false };
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const screen = await Screen.open(t, local);
    await screen.shows('Requests');
    t.same((await screen.state()).alternate, true);
    t.match(await screen.settings(), /-icanon/);
    process.kill(await screen.pid(), signal);
    const lines = await screen.shows(`left with ${code}`);
    t.equal(lines[0], 'before', 'the earlier screen is restored');
    t.same(await screen.state(), clean);
    t.match(await screen.settings(), / icanon/);
  }
});

t.test('a killed dashboard restores the terminal too', { skip }, async (t) => {
  const { local } = await served(t);
  const screen = await Screen.open(t, local);
  await screen.shows('Requests');
  process.kill(await screen.pid(), 'SIGKILL');
  await until(
    () => screen.state(),
    ({ cursor, alternate }) => cursor && !alternate,
  );
  t.equal((await screen.lines())[0], 'before', 'the earlier screen is restored');
  await until(
    () => screen.settings(),
    (settings) =>
      [' icanon ', 'isig ', ' echo '].every((setting) => settings.includes(setting) && !settings.includes(`-${setting.trim()} `)),
  );
});

t.test('a program error is reported after the terminal is restored', { skip }, async (t) => {
  const { local } = await served(t);
  const crash = "data:text/javascript,setTimeout(() => { throw new Error('planted') }, 3000)";
  const screen = await Screen.open(t, local, { env: { NODE_OPTIONS: `--import=${crash.replaceAll(' ', '%20')}` } });
  const lines = await screen.shows('left with 1');
  t.match(lines.join('\n'), 'planted');
  t.same(await screen.state(), { cursor: true, alternate: false });
  t.match(await screen.settings(), / icanon/);
});

t.test('without a terminal the dashboard prints one plain frame and ends', async (t) => {
  const { local } = await served(t);
  const { code, stdout, stderr } = await local.run(['tui', 'members']);
  t.same({ code, stderr }, { code: 0, stderr: '' });
  t.match(stdout, /^platform {2}local socket of .*connected\n/);
  t.match(stdout, /grace +grace +member/);
  t.notOk(stdout.includes('\u001B'));
  const unknown = await local.run(['tui', 'nope']);
  t.equal(unknown.code, 3);
  t.match(unknown.stderr, "There is no view 'nope'; there are overview, members");
  const dumb = await local.terminal(['tui', 'members'], { TERM: 'dumb' }).ended;
  t.equal(dumb.code, 0);
  t.match(dumb.stdout, /grace +grace +member/);
  t.notOk(dumb.stdout.includes('\u001B'), 'a dumb terminal gets no escapes');
  const nowhere = await local.run(['tui', '--url', 'http://127.0.0.1:1']);
  t.equal(nowhere.code, 6);
  t.match(nowhere.stderr, /can't be reached/);
});
