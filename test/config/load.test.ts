import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t from 'tap';
import { describe } from '../../config/describe.js';
import { type LoadOptions, loadConfig, loadSettings } from '../../config/load.js';
import { featureNames } from '../../config/model-features.js';
import { settings } from '../../config/schema.js';
import { features } from '../../extensions/agents/model/features.js';
import type { Failure } from '../../kernel/contract/failure.js';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
t.teardown(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function refusal(options: LoadOptions): Failure {
  try {
    loadConfig(options);
  } catch (error) {
    return error as Failure;
  }
  throw new Error('the configuration was accepted');
}

t.test('without settings the defaults apply, and the data folder is absolute', async (t) => {
  t.strictSame(loadConfig({ env: {} }), {
    data_dir: resolve('data'),
    host: '127.0.0.1',
    port: 8080,
    base_url: '',
    database_url: 'sqlite:',
    bus_url: 'memory:',
    secret_key: '',
    instance_name: '',
    trusted_proxies: [],
    cors_origins: [],
    log_level: 'info',
    log_format: 'auto',
    fetch_allow: [],
    docker_host: '',
    docker_cert_path: '',
    min_free_bytes: '',
    limits: { requests_per_minute: 60_000, costly_per_minute: 1_200 },
    audit: { days: 400 },
    members: { admin_username: 'admin', admin_password: '', access_ttl_s: 28800, seats: 0 },
    chat: { member_quota_bytes: 5_368_709_120 },
    agents: {
      model: { base_url: '', api_key: '', name: '', features: {}, max_tokens: 0, price: '' },
      limits: { first_byte_seconds: 120, idle_seconds: 120, seconds: 1_800 },
      mcp_servers: [],
    },
    nodes: { image: 'python:3.12-slim', guard_image: 'busybox:stable', dns: ['1.1.1.1', '9.9.9.9'] },
    notifications: { smtp: { host: '', port: 587, secure: 'starttls', user: '', password: '', from: '' } },
    plugins: { trusted: [], files_bytes: 536_870_912, files: 20_000 },
    marketplace: { upstream_registry: '', upstream_token: '', require_trusted: false },
  });
});

t.test('a flag precedes a variable, that a file, and that the defaults', async (t) => {
  const path = file('layers.json', { port: 1, host: 'file.example', log_level: 'warn', members: { seats: 4 } });
  const env = { PLATFORM_CONFIG: path, PLATFORM_PORT: '2', PLATFORM_HOST: 'variable.example' };
  const config = loadConfig({ env, overrides: { port: '3' } });
  t.strictSame(
    { port: config.port, host: config.host, log_level: config.log_level, members: config.members },
    {
      port: 3,
      host: 'variable.example',
      log_level: 'warn',
      members: { admin_username: 'admin', admin_password: '', access_ttl_s: 28800, seats: 4 },
    },
  );
});

t.test('--config precedes PLATFORM_CONFIG', async (t) => {
  const env = { PLATFORM_CONFIG: file('a.json', { port: 1 }) };
  t.equal(loadConfig({ env, file: file('b.json', { port: 2 }) }).port, 2);
});

t.test('the configuration is frozen, including sections and lists', async (t) => {
  const config = loadConfig({ env: { PLATFORM_CORS_ORIGINS: 'https://a.example' } });
  t.ok(Object.isFrozen(config) && Object.isFrozen(config.agents.model) && Object.isFrozen(config.cors_origins));
});

t.test('an empty variable counts as unset', async (t) => {
  t.equal(loadConfig({ env: { PLATFORM_PORT: '' } }).port, 8080);
});

t.test('each variable sets its key', async (t) => {
  const values: Record<string, [text: string, value: unknown]> = {
    PLATFORM_DATA_DIR: [folder, folder],
    PLATFORM_HOST: ['::1', '::1'],
    PLATFORM_PORT: ['0', 0],
    PLATFORM_BASE_URL: ['https://work.example', 'https://work.example'],
    PLATFORM_DATABASE_URL: ['postgres://u:p@h/d', 'postgres://u:p@h/d'],
    PLATFORM_BUS_URL: ['redis://h:1', 'redis://h:1'],
    PLATFORM_SECRET_KEY: ['k'.repeat(32), 'k'.repeat(32)],
    PLATFORM_INSTANCE_NAME: ['one.2', 'one.2'],
    PLATFORM_TRUSTED_PROXIES: ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    PLATFORM_CORS_ORIGINS: ['https://a.example,http://b.example:81', ['https://a.example', 'http://b.example:81']],
    PLATFORM_LOG_LEVEL: ['debug', 'debug'],
    PLATFORM_LOG_FORMAT: ['json', 'json'],
    PLATFORM_FETCH_ALLOW: ['localhost,192.168.0.0/16', ['localhost', '192.168.0.0/16']],
    PLATFORM_DOCKER_HOST: ['tcp://127.0.0.1:2375', 'tcp://127.0.0.1:2375'],
    PLATFORM_DOCKER_CERT_PATH: ['/etc/docker', '/etc/docker'],
    PLATFORM_REQUESTS_PER_MINUTE: ['600', 600],
    PLATFORM_COSTLY_PER_MINUTE: ['0', 0],
    PLATFORM_MIN_FREE_BYTES: ['1000000', 1_000_000],
    PLATFORM_AUDIT_DAYS: ['90', 90],
    PLATFORM_MEMBER_QUOTA_BYTES: ['0', 0],
    PLATFORM_ADMIN_USERNAME: ['root.1', 'root.1'],
    PLATFORM_ADMIN_PASSWORD: ['12345678', '12345678'],
    PLATFORM_ACCESS_TTL_S: ['60', 60],
    PLATFORM_SEATS: ['7', 7],
    PLATFORM_MODEL_BASE_URL: ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
    PLATFORM_MODEL_API_KEY: ['key', 'key'],
    PLATFORM_MODEL_NAME: ['small', 'small'],
    PLATFORM_MODEL_FEATURES: ['{"tools": false}', { tools: false }],
    PLATFORM_MODEL_MAX_TOKENS: ['4096', 4_096],
    PLATFORM_MODEL_PRICE: ['{"input":2.5,"output":10,"currency":"USD"}', { input: 2.5, output: 10, currency: 'USD' }],
    PLATFORM_MODEL_FIRST_BYTE_S: ['300', 300],
    PLATFORM_MODEL_IDLE_S: ['60', 60],
    PLATFORM_RUN_S: ['7200', 7_200],
    PLATFORM_MCP_SERVERS: [
      '[{"name":"files","command":"files"},{"name":"web","url":"https://h/mcp?k=1","headers":{"x":"y"},"tools":["get"],"read_only":["get"],"dangerous":["put"]}]',
      [
        { name: 'files', command: 'files', args: [], env: {}, tools: 'all', read_only: [], dangerous: [] },
        { name: 'web', url: 'https://h/mcp?k=1', headers: { x: 'y' }, tools: ['get'], read_only: ['get'], dangerous: ['put'] },
      ],
    ],
    PLATFORM_NODE_IMAGE: ['127.0.0.1:5000/team/work@sha256:ab', '127.0.0.1:5000/team/work@sha256:ab'],
    PLATFORM_NODE_GUARD_IMAGE: ['guard:1', 'guard:1'],
    PLATFORM_NODE_DNS: ['10.0.0.53, ::1', ['10.0.0.53', '::1']],
    PLATFORM_SMTP_HOST: ['mail.example', 'mail.example'],
    PLATFORM_SMTP_PORT: ['465', 465],
    PLATFORM_SMTP_SECURE: ['tls', 'tls'],
    PLATFORM_SMTP_USER: ['platform', 'platform'],
    PLATFORM_SMTP_PASSWORD: ['key', 'key'],
    PLATFORM_SMTP_FROM: ['Platform <platform@a.example>', 'Platform <platform@a.example>'],
    PLATFORM_PLUGINS_TRUSTED: ['hello, my-plugin', ['hello', 'my-plugin']],
    PLATFORM_PLUGINS_FILES_BYTES: ['1000000', 1_000_000],
    PLATFORM_PLUGINS_FILES: ['100', 100],
    PLATFORM_UPSTREAM_REGISTRY: ['https://market.example', 'https://market.example'],
    PLATFORM_UPSTREAM_TOKEN: ['plat_abc', 'plat_abc'],
    PLATFORM_REQUIRE_TRUSTED: ['true', true],
  };
  const env = Object.fromEntries(Object.entries(values).map(([name, [text]]) => [name, text]));
  const config = loadConfig({ env });
  const found = Object.entries(settings).map(([key, { environment }]) => [environment, at(config, key)]);
  t.strictSame(Object.fromEntries(found), Object.fromEntries(Object.entries(values).map(([name, [, value]]) => [name, value])));
});

function at(config: object, key: string): unknown {
  return key.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], config);
}

t.test('features of a model are an object in a file and JSON in a variable', async (t) => {
  const path = file('features.json', { agents: { model: { features: { tools: false, stream: true } } } });
  t.same(loadConfig({ env: {}, file: path }).agents.model.features, { tools: false, stream: true });
  const wrong = (text: string) => refusal({ env: { PLATFORM_MODEL_FEATURES: text } }).message;
  t.match(wrong('tools'), /PLATFORM_MODEL_FEATURES\): expected an object/);
  t.match(wrong('{"tols": true}'), /tols is not one of stream_usage, .*tools/);
  t.match(wrong('{"tools": "no"}'), /tools: expected true or false/);
  t.same(featureNames, features, 'the features are those that the extension agents supports');
});

t.test("the engine of DOCKER_HOST is used unless the platform's variable is set", async (t) => {
  t.equal(loadConfig({ env: { DOCKER_HOST: 'tcp://a:1' } }).docker_host, 'tcp://a:1');
  t.equal(loadConfig({ env: { DOCKER_HOST: 'tcp://a:1', PLATFORM_DOCKER_HOST: 'tcp://b:1' } }).docker_host, 'tcp://b:1');
  t.equal(loadConfig({ env: { DOCKER_CERT_PATH: '/a' } }).docker_cert_path, '/a');
});

t.test('reads a secret from a file, without its last line end', async (t) => {
  const env = { PLATFORM_ADMIN_PASSWORD_FILE: file('password', 'from a file \n') };
  t.equal(loadConfig({ env }).members.admin_password, 'from a file ');
});

t.test('all wrong settings are reported together with place, expected and found value', async (t) => {
  const path = file('wrong.json', { prot: 1, members: { seats: -1, colour: 'red' }, log_level: 'loud' });
  const failure = refusal({
    file: path,
    env: { PLATFORM_PORT: '70000', PLATFORM_TRUSTED_PROXIES: '10.0.0.0/99' },
    overrides: { host: 'a b' },
  });
  t.equal(failure.code, 'config_invalid');
  t.strictSame(failure.details, [
    { path: 'prot', message: `prot in ${path} is not a known setting. Did you mean port?` },
    { path: 'members.colour', message: `members.colour in ${path} is not a known setting` },
    { path: 'host', message: 'host (flag): expected a host name or an IP address, found "a b"' },
    { path: 'port', message: 'port (PLATFORM_PORT): expected an integer from 0 to 65535, found "70000"' },
    {
      path: 'trusted_proxies',
      message:
        'trusted_proxies (PLATFORM_TRUSTED_PROXIES): expected a list of address ranges (10.0.0.0/8), separated by commas, found "10.0.0.0/99"',
    },
    { path: 'log_level', message: `log_level in ${path}: expected one of debug, info, warn, error, silent, found "loud"` },
    { path: 'members.seats', message: `members.seats in ${path}: expected an integer from 0 to 1000000, found -1` },
  ]);
  t.match(failure.message, /^7 settings are wrong: prot in /);
});

t.test('a shared bus needs a shared database', async (t) => {
  const PLATFORM_BUS_URL = 'redis://u:hunter2@h:1';
  const failure = refusal({ env: { PLATFORM_BUS_URL } });
  t.match(failure, {
    code: 'config_invalid',
    details: [{ path: 'bus_url', message: /SQLite serves only one.*PLATFORM_DATABASE_URL.*memory:/ }],
  });
  t.notMatch(failure.message, /hunter2/);
  t.equal(loadConfig({ env: { PLATFORM_BUS_URL, PLATFORM_DATABASE_URL: 'postgres://h/d' } }).bus_url, PLATFORM_BUS_URL);
});

t.test('an invalid secret is named without its value', async (t) => {
  const failure = refusal({ env: { PLATFORM_SECRET_KEY: 'hunter2', PLATFORM_DATABASE_URL: 'mysql://u:hunter2@h' } });
  t.strictSame(
    failure.details?.map(({ path }) => path),
    ['database_url', 'secret_key'],
  );
  t.notMatch(JSON.stringify([failure.message, failure.details]), /hunter2/);
});

t.test('a secret that is set twice, and a missing secret file, are named', async (t) => {
  const path = file('key', 'k'.repeat(40));
  const env = { PLATFORM_SECRET_KEY: 'k'.repeat(40), PLATFORM_SECRET_KEY_FILE: path, PLATFORM_MODEL_API_KEY_FILE: join(folder, 'none') };
  t.strictSame(refusal({ env }).details, [
    { path: 'secret_key', message: 'secret_key: both PLATFORM_SECRET_KEY and PLATFORM_SECRET_KEY_FILE are set, expected one of them' },
    {
      path: 'agents.model.api_key',
      message: `agents.model.api_key (PLATFORM_MODEL_API_KEY_FILE): expected a file that can be read, found ENOENT at ${join(folder, 'none')}`,
    },
  ]);
});

t.test('a configuration file that is missing or not a JSON object is reported', async (t) => {
  const missing = join(folder, 'missing.json');
  t.equal(refusal({ file: missing, env: {} }).message, `1 setting is wrong: the configuration file ${missing} can't be read (ENOENT)`);
  for (const [content, reason] of [
    ['{\n  "port": 1,\n}', /^is not JSON: line 2, column 12: no comma may stand before/],
    ['[]', /^is not a JSON object$/],
    ['3', /^is not a JSON object$/],
  ] as const) {
    const path = join(folder, 'broken.json');
    writeFileSync(path, content);
    const { message, fix } = refusal({ file: path, env: {} });
    const begin = `1 setting is wrong: the configuration file ${path} `;
    t.equal(message.slice(0, begin.length), begin);
    t.match(message.slice(begin.length), reason);
    t.equal(fix, `correct the settings file: ${path}`);
  }
});

t.test('the hint names where the wrong value is: the file, the variables, or both', async (t) => {
  const path = file('unknown.json', { prot: 1 });
  const variables = 'check the environment with: env | grep ^PLATFORM_';
  t.equal(refusal({ file: path, env: {} }).fix, `correct the settings file: ${path}`);
  t.equal(refusal({ file: file('wrong.json', { port: 'x' }), env: {} }).fix, `correct the settings file: ${join(folder, 'wrong.json')}`);
  t.equal(refusal({ env: { PLATFORM_PORT: 'x' } }).fix, variables);
  t.equal(refusal({ file: path, env: { PLATFORM_LOG_LEVEL: 'x' } }).fix, `correct the settings file: ${path}; ${variables}`);
});

t.test('a similar known name is suggested within MCP servers and features too', async (t) => {
  const agents = { mcp_servers: [{ name: 'a', comand: 'x' }], model: { features: { tolls: true } } };
  const found = [
    refusal({ file: file('near.json', { agents }), env: {} }).message,
    refusal({
      env: {
        PLATFORM_MCP_SERVERS: JSON.stringify(agents.mcp_servers),
        PLATFORM_MODEL_FEATURES: JSON.stringify(agents.model.features),
      },
    }).message,
  ];
  for (const message of found) {
    t.match(message, /comand is not a setting of such a server\. Did you mean command\?/);
    t.match(message, /tolls is not one of .*\. Did you mean tools\?/);
  }
});

t.test('masks secrets only in displayed settings', async (t) => {
  const env = {
    PLATFORM_DATABASE_URL: 'postgres://u:hunter2@h/d?x=hunter2',
    PLATFORM_ADMIN_PASSWORD: 'hunter2hunter2',
    PLATFORM_PORT: '81',
  };
  const { config, sources } = loadSettings({ env });
  const rows = describe(config, sources);
  const shown = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  t.match(shown, {
    database_url: 'postgres://u:********@h/d?********',
    'members.admin_password': '********',
    secret_key: '',
    port: 81,
    bus_url: 'memory:',
  });
  t.notMatch(JSON.stringify(rows), /hunter2/);
});

t.test('sources of bundles are addresses or folders, without passwords', async (t) => {
  const found = (text: string) => loadConfig({ env: { PLATFORM_UPSTREAM_REGISTRY: text } }).marketplace.upstream_registry;
  const good = [
    'http://127.0.0.1:8080',
    'https://a.example/team',
    'https://a.example/index.json',
    'file:///srv/bundles',
    '/srv/my bundles',
  ];
  for (const text of good) t.equal(found(text), text);
  const wrong = [
    'srv/bundles',
    'ftp://a.example',
    'file://host/srv',
    'https://',
    'https://u:hunter2@a.example',
    'https://a/?x=1',
    '/srv/\n',
  ];
  for (const text of wrong) {
    t.equal(
      refusal({ env: { PLATFORM_UPSTREAM_REGISTRY: text } }).message,
      '1 setting is wrong: marketplace.upstream_registry (PLATFORM_UPSTREAM_REGISTRY): expected https://host of a platform, ' +
        'https://host/index.json of a mirror, or /folder, without a user name, a password or a query',
      text,
    );
  }
  t.match(refusal({ env: { PLATFORM_REQUIRE_TRUSTED: 'yes' } }).message, /expected true or false, found "yes"$/);
});

t.test('each fault of MCP servers is named without possible secrets', async (t) => {
  const servers = [
    { name: 'A b', command: 'x', env: { KEY: 7 } },
    { name: 'b', url: 'ftp://hunter2', colour: 'red' },
    { name: 'c' },
    { name: 'd', command: 'x', tools: 'some', read_only: [1], dangerous: 'x' },
    { name: 'd', command: 'x' },
    { name: 'e', url: 'https://u:hunter2@h/mcp' },
  ];
  const path = file('servers.json', { agents: { mcp_servers: servers } });
  const failure = refusal({ file: path, env: {} });
  t.strictSame(
    failure.details?.map(({ message }) => message.replace(`agents.mcp_servers in ${path}: `, '')),
    [
      '[0].name: expected 1 to 32 of a-z 0-9 -',
      '[0].env: expected texts by name',
      '[1].url: expected an address that starts with http:// or https://, without a user name or password (headers take those)',
      '[1].colour is not a setting of such a server',
      '[2]: expected either a command or a url',
      '[3].tools: expected "all" or a list of its tools',
      '[3].read_only: expected a list of its tools',
      '[3].dangerous: expected a list of its tools',
      '[5].url: expected an address that starts with http:// or https://, without a user name or password (headers take those)',
      'two servers have the name "d"',
    ],
  );
  t.notMatch(failure.message, /hunter2/);
  t.match(refusal({ env: { PLATFORM_MCP_SERVERS: 'hunter2' } }).message, /\(PLATFORM_MCP_SERVERS\): expected a list$/);
  const good = [
    { name: 'a', command: 'x', args: ['--key=hunter2'], env: { KEY: 'hunter2' } },
    { name: 'b', url: 'https://h/mcp?key=hunter2', headers: { authorization: 'hunter2' } },
  ];
  const rows = describe(loadConfig({ file: file('good.json', { agents: { mcp_servers: good } }), env: {} }), {});
  t.notMatch(JSON.stringify(rows), /hunter2/);
  t.match(rows.find(({ key }) => key === 'agents.mcp_servers')?.value, [
    { name: 'a', command: 'x', env: { KEY: '********' } },
    { name: 'b', url: 'https://h/mcp', headers: { authorization: '********' } },
  ]);
});

t.test('a registry token is accepted only over an encrypted connection', async (t) => {
  const loaded =
    (address: string, token = 'hunter2') =>
    () =>
      loadConfig({ env: { PLATFORM_UPSTREAM_REGISTRY: address, PLATFORM_UPSTREAM_TOKEN: token } });
  for (const address of ['https://work.example', 'http://127.0.0.1:8080', 'http://localhost/index.json', 'http://[::1]:1', '/srv/bundles'])
    t.doesNotThrow(loaded(address), address);
  t.doesNotThrow(loaded('http://work.example', ''));
  for (const address of ['http://work.example', 'http://10.0.0.1/index.json', 'http://127.0.0.1.example', 'HTTP://localhost.example'])
    t.throws(
      loaded(address),
      {
        code: 'config_invalid',
        message: `1 setting is wrong: marketplace.upstream_token would be sent unencrypted to ${address}: expected an address with https://, or no token`,
      },
      address,
    );
});

t.test('the administrator name me is rejected, because me in a path means the caller', (t) => {
  for (const PLATFORM_ADMIN_USERNAME of ['me', 'Me']) t.match(refusal({ env: { PLATFORM_ADMIN_USERNAME } }), { code: 'config_invalid' });
  t.equal(loadConfig({ env: { PLATFORM_ADMIN_USERNAME: 'mel' } }).members.admin_username, 'mel');
  t.end();
});

t.test('each setting has its origin', (t) => {
  const path = file('sources.json', { log_level: 'warn', port: 1, host: '::1' });
  const env = { PLATFORM_HOST: '127.0.0.2', PLATFORM_PORT: '2', PLATFORM_SECRET_KEY_FILE: file('key', 'ab'.repeat(32)) };
  const { sources } = loadSettings({ file: path, env, overrides: { port: 3 } });
  t.match(sources, {
    data_dir: 'default',
    log_level: `file ${path}`,
    host: 'environment PLATFORM_HOST',
    port: 'flag',
    secret_key: 'environment PLATFORM_SECRET_KEY_FILE',
  });
  t.end();
});

t.test('credentials in a public address are masked', (t) => {
  const addresses = {
    'http://ada:hunter2@models.example/v1': 'http://ada:********@models.example/v1',
    'https://hunter2@models.example/v1': 'https://********@models.example/v1',
    'https://models.example/v1?key=hunter2': 'https://models.example/v1?********',
    'https://models.example/v1?hunter2': 'https://models.example/v1?********',
    'https://models.example/v1#hunter2': 'https://models.example/v1',
    'https://models.example/v1': 'https://models.example/v1',
  };
  for (const [given, value] of Object.entries(addresses)) {
    const config = loadConfig({ env: { PLATFORM_MODEL_BASE_URL: given } });
    const row = describe(config, {}).find(({ key }) => key === 'agents.model.base_url');
    t.match(row, { value, source: 'unknown' });
  }
  const docker = loadConfig({ env: { PLATFORM_DOCKER_HOST: 'ssh://docker@build.example' } });
  t.match(
    describe(docker, {}).find(({ key }) => key === 'docker_host'),
    { value: 'ssh://docker@build.example' },
  );
  t.end();
});

t.test('a wrong address is reported without its credentials', (t) => {
  const { message, details } = refusal({ env: { PLATFORM_MODEL_BASE_URL: 'ftp://ada:hunter2@models.example/v1?key=hunter2' } });
  t.notMatch(`${message} ${JSON.stringify(details)}`, /hunter2/);
  t.match(message, 'ftp://ada:********@models.example/v1');
  t.end();
});
