import t, { type Test } from 'tap';
import { adminPassword } from '../helpers/platform.js';
import { type Ended, type Shell, shellFor } from './shell.js';

/** A server with an administrator who is logged in, and the three ways to it. */
async function ways(t: Test): Promise<{ http: Shell; local: Shell; direct: Shell; stop: () => Promise<void> }> {
  const local = await shellFor(t);
  const server = await local.serve(t);
  const http = local.with({ PLATFORM_DATA_DIR: '' });
  const login = await http.run(['login', '--url', server.url, '--username', 'admin', '--password-stdin'], adminPassword);
  t.strictSame(login, { code: 0, stdout: `Logged in to ${server.url} as admin.\n`, stderr: '' });
  const stop = async () => {
    server.child.kill('SIGTERM');
    t.equal((await server.ended).code, 0);
  };
  return { http, local, direct: local, stop };
}

const lines: [args: string[], input?: string][] = [
  [['member', 'list']],
  [['member', 'list', '--json']],
  [['member', 'list', '--json', 'id,username']],
  [['member', 'list', '--keyword', 'nobody']],
  [['member', 'get', '1']],
  [['member', 'get', '99']],
  [['member', 'get', 'x']],
  [['member', 'seats']],
  [['member', 'create', 'a', '--password-stdin'], 'short'],
  [['member', 'update', '1', '--role', 'member']],
  [['employee', 'list', '--json', 'name,mode']],
  [['call', 'members.list', '--json', '{"page_size":1}']],
  [['call', 'members.list', '--json', '-'], '{"page_size":0}'],
  [['call', 'plugins.get', '--json', '{"name":"nothing"}']],
  [['call', 'nothing.at_all']],
  [['call', 'version.get']],
];

t.test('the same command has the same output over each transport', { timeout: 120_000 }, async (t) => {
  const { http, local, direct, stop } = await ways(t);
  const all = async (shell: Shell): Promise<Record<string, Ended>> => {
    const found: Record<string, Ended> = {};
    for (const [args, input] of lines) found[args.join(' ')] = await shell.run(args, input);
    return found;
  };
  const [overHttp, throughSocket] = await Promise.all([all(http), all(local)]);
  t.strictSame(throughSocket, overHttp, 'the output through the socket equals that over HTTP');
  await stop();
  t.strictSame(await all(direct), overHttp, 'the output in-process equals that over HTTP');
  t.strictSame(
    Object.values(overHttp).map(({ code }) => code),
    [0, 0, 0, 0, 0, 3, 3, 0, 2, 5, 0, 0, 2, 3, 3, 0],
  );
  t.match(overHttp['member list']?.stdout, /^1\tadmin\tadmin\tadmin\tfalse\t/);
  t.strictSame(JSON.parse(overHttp['member list --json id,username']?.stdout ?? ''), [
    { id: 1, username: 'admin' },
    ...JSON.parse(overHttp['member list --json id,username']?.stdout ?? '').slice(1),
  ]);
  t.match(overHttp['member get 99'], { stdout: '', stderr: 'platform: There is no member 99\n' });
});

t.test('a change over one transport is visible over the others', async (t) => {
  const { http, local, direct, stop } = await ways(t);
  const names = async (shell: Shell) =>
    (await shell.run(['call', 'members.list', '--json', '{"is_virtual":false}'])).stdout.match(/"username": "\w+"/g);
  t.equal((await http.run(['member', 'create', 'over_http', '--password-stdin'], 'long enough')).code, 0);
  t.equal((await local.run(['member', 'create', 'by_socket', '--password-stdin'], 'long enough')).code, 0);
  await stop();
  t.equal((await direct.run(['member', 'create', 'in_process', '--password-stdin'], 'long enough')).code, 0);
  const expected = ['admin', 'over_http', 'by_socket', 'in_process'].map((name) => `"username": "${name}"`);
  t.strictSame(await names(direct), expected);
  await local.serve(t);
  t.strictSame(await names(local), expected);
});

t.test('without a server a token is useless, and a wrong one is rejected with a server', async (t) => {
  const shell = await shellFor(t);
  const { url } = await shell.serve(t);
  const { code, stderr } = await shell
    .with({ PLATFORM_URL: url, PLATFORM_TOKEN: 'plat_wrong', PLATFORM_DATA_DIR: '' })
    .run(['member', 'list']);
  t.equal(code, 4);
  t.match(stderr, /\nhint: log in again with: platform login\n$/);
  t.equal((await shell.run(['member', 'list', '--url', url])).code, 4);
});

t.test('commands and a new server work despite the leftovers of a killed server', async (t) => {
  const shell = await shellFor(t);
  const server = await shell.serve(t);
  server.child.kill('SIGKILL');
  await server.ended;
  const { code, stdout } = await shell.run(['whoami']);
  t.strictSame([code, stdout], [0, `1\tadmin\tadmin\tadmin\t${shell.data_dir}\n`]);
  await shell.serve(t);
});
