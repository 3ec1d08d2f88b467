import { readFileSync } from 'node:fs';
import t from 'tap';
import { profilesFile } from '../../cli/profiles.js';
import { adminPassword } from '../helpers/platform.js';
import { shellFor, withoutTerminal } from './shell.js';

t.test('a login is stored until the logout, which revokes its token', async (t) => {
  const server = await shellFor(t);
  const { url } = await server.serve(t);
  const shell = server.with({ PLATFORM_DATA_DIR: '' });
  const said = await shell.run(['login', '--url', `${url}/`, '--username', 'admin', '--password-stdin', '--json'], `${adminPassword}\n`);
  t.strictSame([said.code, JSON.parse(said.stdout)], [0, { url, username: 'admin', profile: 'default' }]);
  t.equal((await shell.run(['whoami'])).stdout, `1\tadmin\tadmin\tadmin\t${url}\n`);
  const { token } = JSON.parse(readFileSync(profilesFile(shell.env), 'utf8')).profiles.default;
  t.equal((await shell.run(['token', 'list'])).stdout.trim().split('\n').length, 1, 'the login has ended, and one token is left');
  t.strictSame(await shell.run(['logout']), { code: 0, stdout: `Logged out of ${url} (admin).\n`, stderr: '' });
  t.equal((await shell.with({ PLATFORM_URL: url, PLATFORM_TOKEN: token }).run(['whoami'])).code, 4);
  t.equal((await server.run(['token', 'list'])).stdout, '');
});

t.test("logging in again revokes the previous login's token", async (t) => {
  const server = await shellFor(t);
  const { url } = await server.serve(t);
  const shell = server.with({ PLATFORM_DATA_DIR: '' });
  const login = ['login', '--url', url, '--username', 'admin', '--password-stdin'];
  await shell.run(login, adminPassword);
  t.equal((await shell.run(login, adminPassword)).code, 0);
  t.equal((await shell.run(['token', 'list'])).stdout.trim().split('\n').length, 1);
});

t.test('changing the password revokes all tokens but keeps this login', async (t) => {
  const server = await shellFor(t);
  const { url } = await server.serve(t);
  const [one, two] = [
    server.with({ PLATFORM_DATA_DIR: '' }),
    server.with({ PLATFORM_DATA_DIR: '', XDG_CONFIG_HOME: `${server.env.HOME}/two` }),
  ];
  const login = (password: string) => [['login', '--url', url, '--username', 'admin', '--password-stdin'], password] as const;
  for (const shell of [one, two]) await shell.run(...login(adminPassword));
  t.match(await one.run(['password', '--password-stdin'], 'wrong\nanother password'), { code: /[24]/ });
  const changed = await one.run(['password', '--password-stdin'], `${adminPassword}\nanother password\n`);
  t.match(changed, { code: 0, stdout: /^Password changed/, stderr: '' });
  t.equal((await one.run(['whoami'])).code, 0);
  t.equal((await two.run(['whoami'])).code, 4);
  t.equal((await two.run(...login(adminPassword))).code, 4);
  t.equal((await two.run(...login('another password'))).code, 0);
  t.equal(
    (await server.run(['password', '--password-stdin'], 'another password\nyet another one\n')).code,
    0,
    'the login is kept through the socket too',
  );
});

t.test('a wrong password is rejected, and nothing is stored', async (t) => {
  const server = await shellFor(t);
  const { url } = await server.serve(t);
  const shell = server.with({ PLATFORM_DATA_DIR: '' });
  const { code, stdout, stderr } = await shell.run(['login', '--url', url, '--username', 'admin', '--password-stdin'], 'wrong');
  t.strictSame([code, stdout], [4, '']);
  t.match(stderr, /^platform: .*\nhint: try again with: platform login --username <name>\n$/);
  t.throws(() => readFileSync(profilesFile(shell.env)), { code: 'ENOENT' });
});

t.test('several logins are stored side by side', async (t) => {
  const first = await shellFor(t);
  const second = await shellFor(t);
  const [one, two] = [await first.serve(t), await second.serve(t)];
  const shell = first.with({ PLATFORM_DATA_DIR: '' });
  for (const [profile, url] of Object.entries({ one: one.url, two: two.url })) {
    const said = await shell.run(['login', '--profile', profile, '--url', url, '--username', 'admin', '--password-stdin'], adminPassword);
    t.equal(
      said.stdout,
      `Logged in to ${url} as admin. Commands use the profile '${profile}' from now on; choose another with --profile.\n`,
    );
  }
  const where = async (args: string[], env = {}) => (await shell.with(env).run(['whoami', '--json', 'server', ...args])).stdout;
  const at = (url: string) => `${JSON.stringify({ server: url }, undefined, 2)}\n`;
  t.equal(await where([]), at(two.url), 'the last login is the current one');
  t.equal(await where(['--profile', 'one']), at(one.url));
  t.equal(await where([], { PLATFORM_PROFILE: 'one' }), at(one.url));
  t.equal(await where([], { PLATFORM_PROFILE: 'one', PLATFORM_DATA_DIR: first.data_dir }), at(one.url));
  t.equal(await where([], { PLATFORM_DATA_DIR: first.data_dir }), at(first.data_dir), 'a data folder takes precedence over a stored login');
  t.equal(
    await where(['--data-dir', second.data_dir], { PLATFORM_PROFILE: 'one' }),
    at(second.data_dir),
    'a flag takes precedence over a variable',
  );
});

t.test('a logout from an unavailable server removes the login and warns that its token stays valid', async (t) => {
  const server = await shellFor(t);
  const running = await server.serve(t);
  const shell = server.with({ PLATFORM_DATA_DIR: '' });
  await shell.run(['login', '--url', running.url, '--username', 'admin', '--password-stdin'], adminPassword);
  running.child.kill('SIGTERM');
  await running.ended;
  const { code, stderr } = await shell.run(['logout']);
  t.equal(code, 0);
  t.match(stderr, /the token stays valid until it is revoked there/);
  t.equal((await shell.run(['logout'])).code, 2);
});

t.test('without a terminal missing values must be given as options', async (t) => {
  const shell = await shellFor(t);
  const noName = await shell.run(['login', '--url', 'http://127.0.0.1:1']);
  t.match([noName.code, noName.stderr], [2, /Nobody can be asked here\nhint: add --device .*, or --username <name> --password-stdin/]);
  const onlyPassword = await shell.run(['login', '--url', 'http://127.0.0.1:1', '--password-stdin'], 'x');
  t.match([onlyPassword.code, onlyPassword.stderr], [2, /The user name is missing\nhint: pass it with --username <name>/]);
  const both = await shell.run(['login', '--url', 'http://127.0.0.1:1', '--device', '--username', 'a']);
  t.match([both.code, both.stderr], [2, /--device takes neither a user name nor a password/]);
  const noPassword = await shell.run(['login', '--url', 'http://127.0.0.1:1', '--username', 'a']);
  t.match([noPassword.code, noPassword.stderr], [2, /The password is missing\nhint: pipe it in with --password-stdin/]);
});

t.test('on a terminal login shows a code, and goes on when a member has confirmed it', { skip: withoutTerminal }, async (t) => {
  const server = await shellFor(t);
  const { url } = await server.serve(t);
  const shell = server.with({ PLATFORM_DATA_DIR: '' });
  const login = shell.terminal(['login', '--url', url]);
  await login.shows(/enter this code: [A-Z]{4}-[A-Z]{4}/);
  const user_code = /enter this code: ([A-Z-]{9})/.exec(login.stdout)?.[1] as string;
  const post = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { access_token: string };
  };
  const { access_token } = await post('/api/auth/login', { username: 'admin', password: adminPassword });
  await post('/api/auth/device/confirm', { user_code, decision: 'approve' }, access_token);
  t.match(await login.ended, { code: 0, stdout: new RegExp(`Logged in to ${url} as admin`) });
  t.equal((await shell.run(['whoami'])).stdout, `1\tadmin\tadmin\tadmin\t${url}\n`);
});

t.test('on a terminal login asks for a password and hides it', { skip: withoutTerminal }, async (t) => {
  const server = await shellFor(t);
  const { url } = await server.serve(t);
  const shell = server.with({ PLATFORM_DATA_DIR: '' });
  const login = shell.terminal(['login', '--url', url, '--username', 'admin']);
  await login.shows('Password: ');
  // With a slip of the finger, which backspace takes back.
  login.type(`${adminPassword}x\u007F\r`);
  const { code, stdout } = await login.ended;
  t.equal(code, 0);
  t.match(stdout, `Logged in to ${url} as admin.`);
  t.notMatch(stdout, adminPassword);
  const interrupted = shell.terminal(['login', '--url', url, '--username', 'admin']);
  await interrupted.shows('Password: ');
  interrupted.type('half\u0003');
  t.match(await interrupted.ended, { code: 130, stdout: /^Password: \r\n$/ });
});
