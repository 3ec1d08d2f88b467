import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { pluginZip } from '../kernel/core/plugins/bundle.js';
import { type Installation, nobody, startInstallation } from './installation.js';
import { Planted } from './planted.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

type Enter = (installation: Installation, planted: Planted, token: string) => Promise<unknown>;

/** Logs in, with all that can be wrong; gives the administrator's token. */
async function logIn({ ask, environment }: Installation, planted: Planted): Promise<string> {
  const login = (password: string, isShown = false) =>
    ask({ method: 'POST', path: '/api/auth/login', body: { username: 'admin', password }, isShown });
  await login(planted.plant('a wrong password'));
  await ask({ method: 'POST', path: '/api/auth/login', body: { username: planted.plant('a password in place of a name'), password: 'x' } });
  const { access_token, refresh_token } = await login(environment.PLATFORM_ADMIN_PASSWORD as string, true);
  planted.keep('an access token', access_token);
  planted.keep('a refresh token', refresh_token);
  await ask({ method: 'POST', path: '/api/auth/refresh', body: { refresh_token: planted.plant('a wrong refresh token') } });
  const forged = planted.plant('a wrong token');
  await ask({ path: '/api/auth/me', token: forged });
  await ask({ path: `/api/chat/stream?token=${forged}&session_id=x` });
  await ask({ path: `/api/chat/stream?ticket=${planted.plant('a wrong ticket')}` });
  return access_token;
}

const enterMembers: Enter = async ({ ask }, planted, token) => {
  const password = planted.plant("a member's password");
  const { id } = await ask({ method: 'POST', path: '/api/members', token, body: { username: 'mia', password } });
  await ask({ method: 'POST', path: '/api/members', token, body: { username: 'mia', password } });
  const { access_token: own } = await ask({
    method: 'POST',
    path: '/api/auth/login',
    body: { username: 'mia', password },
    isShown: true,
  });
  planted.keep("a member's access token", own);
  const wrong = { current_password: planted.plant('a wrong current password'), new_password: planted.plant('a refused new password') };
  await ask({ method: 'POST', path: '/api/auth/password', token: own, body: wrong });
  const reset = { password: planted.plant('a reset password'), new_password: planted.plant('another') };
  await ask({ method: 'POST', path: `/api/members/${id}/reset-password`, token, body: reset });
  const made = await ask({ method: 'POST', path: '/api/auth/tokens', token, body: { name: 'ours', scopes: ['read'] }, isShown: true });
  const personal = planted.keep('a personal token', made.token);
  await ask({ path: '/api/auth/me', token: personal });
  await ask({ method: 'POST', path: '/api/notifications', token: personal, body: { title: 'x' } });
  await ask({ path: '/metrics', token: personal });
  const { ticket } = await ask({ method: 'POST', path: '/api/auth/ticket', token, isShown: true });
  planted.keep('a ticket', ticket);
  await ask({ path: `/api/chat/runs?ticket=${ticket}` });
};

/** Model servers are known to repeat the key that they refuse. */
const enterModels: Enter = async ({ ask, model, environment }, planted, token) => {
  const key = planted.plant('the key of a model');
  const second = planted.plant('the key of a fallback');
  const echo = (exchange: Parameters<Parameters<typeof model.script>[0]>[0]) => {
    const sent = String(exchange.headers.authorization).replace('Bearer ', '');
    exchange.status(401, { message: `Incorrect API key provided: ${sent}. You can find your key elsewhere.`, code: 'invalid_api_key' });
  };
  model.script(echo);
  await ask({
    method: 'PUT',
    path: '/api/agents/2',
    token,
    body: {
      model: { base_url: model.url, api_key: key, model: 'm' },
      fallback_models: [{ base_url: model.url, api_key: second, model: 'n' }],
    },
  });
  const talk = async () => {
    const { message_id, session_id } = await ask({
      method: 'POST',
      path: '/api/chat/send',
      token,
      body: { content: 'Hello', target_id: 2 },
    });
    await ask({ path: `/api/chat/stream/${message_id}`, token });
    await ask({ path: `/api/chat/messages?session_id=${session_id}`, token });
    await ask({ path: '/api/chat/runs', token });
  };
  await talk();
  const bearers = model.exchanges.map(({ headers }) => headers.authorization);
  if (!bearers.includes(`Bearer ${key}`) || !bearers.includes(`Bearer ${second}`)) throw new Error('The keys were not used');
  const bare = { base_url: '', api_key: '', model: '' };
  await ask({ method: 'PUT', path: '/api/agents/2', token, body: { model: bare, fallback_models: [] } });
  await talk();
  const last = model.exchanges.at(-1)?.headers.authorization;
  if (last !== `Bearer ${environment.PLATFORM_MODEL_API_KEY}`) throw new Error("The platform's key was not used");
};

/** Each to a server that fails, and tells the log so. */
const enterChannels: Enter = async ({ ask, receiver }, planted, token) => {
  const url = (place: string, path: string) => `${receiver.origin}${path}${planted.plant(`the address of ${place}`)}`;
  const settings: Record<string, Record<string, string>> = {
    webhook: {
      url: url('a webhook', '/hook?token='),
      secret: planted.plant('the secret of a webhook', (secret) => `whsec_${Buffer.from(secret).toString('base64')}`),
    },
    slack: { url: url('Slack', '/services/') },
    dingtalk: {
      url: url('DingTalk', '/robot/send?access_token='),
      secret: planted.plant('the secret of DingTalk', (secret) => `SEC${secret}`),
    },
    feishu: { url: url('Feishu', '/open-apis/bot/v2/hook/'), secret: planted.plant('the secret of Feishu') },
    wecom: { url: url('WeCom', '/cgi-bin/webhook/send?key=') },
    telegram: { token: planted.plant('the token of Telegram', (secret) => `123456789:${secret}`), chat_id: '1', api_url: receiver.origin },
    email: { address: 'ada@example.com' },
  };
  const channels = Object.fromEntries(Object.entries(settings).map(([channel, given]) => [channel, { enabled: true, settings: given }]));
  const path = '/api/notifications/preferences';
  const kept = await ask({ method: 'PUT', path, token, body: { channels } });
  if (kept.status_code !== 200) throw new Error(`The channels were not kept: ${JSON.stringify(kept)}`);
  for (const channel of ['webhook', 'email']) await ask({ method: 'POST', path: `${path}/test`, token, body: { channel } });
  await ask({ method: 'POST', path: '/api/notifications', token, body: { title: 'To all channels' } });
  const used = () => new Set(receiver.received.map(({ url }) => url.pathname.split('/').slice(0, 3).join('/'))).size;
  await until(used, (count) => count === Object.keys(settings).length - 1);
  const wrong = {
    webhook: {
      enabled: true,
      settings: { url: `ftp://x/${planted.plant('a refused address')}`, secret: planted.plant('a refused secret') },
    },
  };
  await ask({ method: 'PUT', path, token, body: { channels: wrong } });
};

const enterNodes: Enter = async ({ ask }, planted, token) => {
  const password = planted.plant('the password of a host');
  const ssh = { host_key: `SHA256:${'A'.repeat(43)}`, password };
  await ask({
    method: 'POST',
    path: '/api/remote-nodes',
    token,
    body: { name: 'far', node_type: 'docker', host: 'ssh://root@127.0.0.1:9', config: { ssh } },
  });
  const key = planted.plant('the key of an engine', (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`);
  const tls = { ca: 'x', cert: 'y', key };
  await ask({
    method: 'POST',
    path: '/api/remote-nodes',
    token,
    body: { name: 'near', node_type: 'docker', host: 'tcp://127.0.0.1:9', config: { tls } },
  });
};

const enterSchedules: Enter = async ({ ask, receiver }, planted, token) => {
  const headers = {
    authorization: `Bearer ${planted.plant('the header of a call')}`,
    'x-api-key': planted.plant('another header of a call'),
  };
  const params = { url: `${receiver.origin}/call?token=${planted.plant('the address of a call')}`, method: 'POST', headers };
  const trigger = { trigger_type: 'interval', trigger_value: '1h', action: 'http.request' };
  const { id } = await ask({ method: 'POST', path: '/api/admin/schedules', token, body: { name: 'Call', ...trigger, params } });
  await ask({ method: 'POST', path: `/api/admin/schedules/${id}/run`, token });
  await until(
    async () => {
      const { items } = await ask({ path: `/api/admin/schedules/${id}/history`, token });
      return items[0]?.status;
    },
    (status) => status === 'failed',
  );
  await ask({
    method: 'POST',
    path: '/api/admin/schedules/actions/http-request',
    token,
    body: { ...params, url: `${nobody}/?token=${headers['x-api-key']}` },
  });
};

const enterPlugins: Enter = async ({ ask, platform }, planted, token) => {
  const config = { type: 'object', properties: { api_key: { type: 'string', writeOnly: true, minLength: 40 } } };
  const activate = `if (String(ctx.config.api_key).endsWith('!')) throw new Error('Boom');
    ctx.expose({ 'guest.ask': op('ask') }, { 'guest.ask': () => ({ has: ctx.config.api_key !== undefined }) });`;
  await platform.kernel.workbench.install(pluginZip({ config: config as never, activate }));
  const set = (api_key: string) => ask({ method: 'PUT', path: '/api/admin/plugins/guest/config', token, body: { config: { api_key } } });
  await set(planted.plant('a setting that is too short'));
  await set(planted.plant('the setting of a plugin', (secret) => `${secret}-and-some-more`));
  await set(planted.plant('a setting that a plugin fails with', (secret) => `${secret}-and-some-more!`));
  await ask({ path: '/api/plugins/guest', token });
};

/** Everything that can be looked at without saying which. */
const look: Enter = async ({ ask, platform }, _planted, token) => {
  const { kernel } = platform;
  const gets = Object.values(kernel.operations()).filter(
    ({ method, path, kind }) => method === 'GET' && !path.includes('{') && kind !== 'stream',
  );
  for (const { path } of gets) await ask({ path, token });
  for (const path of ['/openapi.json', '/metrics', '/readyz', '/api/chat/messages/search?q=key']) await ask({ path, token });
  for (const path of ['agents/2', 'admin/schedules/1', 'remote-nodes/1', 'remote-nodes/2', 'members/1', 'notifications/1'])
    await ask({ path: `/api/${path}`, token });
  for (const extension of kernel.host.running.keys()) await ask({ path: `/api/plugins/${extension}`, token });
};

/** Content of the archive, in which secrets must be sealed. */
const backUp: Enter = async ({ ask, platform, left }, _planted, token) => {
  const { file } = await ask({ method: 'POST', path: '/api/admin/maintenance/backup', token, body: {} });
  left.push({ where: 'the backup', text: await readFile(join(platform.data_dir, 'backups', file), 'latin1') });
};

/** Runs the command line: the settings, and a start that fails with its reason. */
const askCommands: Enter = async ({ environment, left }) => {
  const env = { PATH: process.env.PATH, ...environment };
  const database = new URL(environment.PLATFORM_DATABASE_URL as string);
  database.port = '9';
  const unreachable = { ...env, PLATFORM_DATABASE_URL: database.href };
  const bus = new URL(environment.PLATFORM_BUS_URL as string);
  bus.password += 'x';
  const commands: [string[], NodeJS.ProcessEnv][] = [
    [['config'], env],
    [['config', '--json'], env],
    [['doctor'], unreachable],
    [['serve', '--port', '0'], unreachable],
    [['serve', '--port', '0'], { ...env, PLATFORM_BUS_URL: bus.href }],
    [['serve', '--port', '0'], { ...env, PLATFORM_SECRET_KEY: (environment.PLATFORM_SECRET_KEY as string).slice(0, 20) }],
  ];
  await Promise.all(
    commands.map(async ([args, env]) => {
      const { stdout, stderr } = await run(process.execPath, [program, ...args], { env, timeout: 20_000 }).catch((fault) => fault);
      if (stdout + stderr === '') throw new Error(`${args.join(' ')} said nothing`);
      left.push({ where: `platform ${args.join(' ')}`, text: stdout + stderr });
    }),
  );
};

/** Gone through one after the other: so a fault says where it came from. */
const steps: [string, Enter][] = [
  ['members', enterMembers],
  ['models', enterModels],
  ['channels', enterChannels],
  ['nodes', enterNodes],
  ['schedules', enterSchedules],
  ['plugins', enterPlugins],
  ['all that can be looked at', look],
  ['a backup', backUp],
  ['the command line', askCommands],
];

function assertKept(t: Test, planted: Planted, { platform, left }: Installation, step: string): void {
  const lines = platform.lines.splice(0).map((line) => ({ where: 'the log', text: JSON.stringify(line) }));
  const told = [...left.splice(0), ...lines].flatMap(({ where, text }) =>
    planted.in(text).map((place) => ({ where, place, text: text.slice(0, 1_500) })),
  );
  t.same(told, [], `${step}: no output contains a secret`);
}

t.test('no secret leaks, wherever it was entered and whatever happened', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const planted = new Planted();
  const installation = await startInstallation(t, planted);
  const token = await logIn(installation, planted);
  await installation.follow(token);
  assertKept(t, planted, installation, 'logins');
  for (const [name, enter] of steps) {
    await enter(installation, planted, token);
    assertKept(t, planted, installation, name);
  }
  t.ok(planted.places > 35, `${planted.places} places`);
  await installation.platform.kernel.close();
  assertKept(t, planted, installation, 'the end');
});

t.test('a secret is found in each of its encodings', async (t) => {
  const planted = new Planted();
  const secret = planted.plant('here', (text) => `${text}/+"%`);
  for (const before of ['', 'a', 'ab', 'abc']) {
    t.same(planted.in(`x ${Buffer.from(`${before}${secret}-`).toString('base64')}`), ['here'], `${before.length} bytes before it`);
    t.same(planted.in(Buffer.from(`${before}${secret}-`).toString('base64url')), ['here']);
  }
  for (const text of [secret, encodeURIComponent(secret), JSON.stringify({ secret }), Buffer.from(secret).toString('hex')])
    t.same(planted.in(`before ${text} after`), ['here'], text);
  t.same(planted.in(secret.slice(1)), []);
});
