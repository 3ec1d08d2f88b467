import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { type ModelServer, startModelServer } from '../helpers/model-server.js';
import { startPlatform, type TestPlatform, temporaryFolder } from '../helpers/platform.js';
import { startPostgres } from '../helpers/postgres.js';
import { startRedis } from '../helpers/redis.js';
import { type Receiver, startReceiver } from '../helpers/vendors/receiver.js';
import { collector } from '../kernel/platform/tracing/collector.js';
import type { Planted } from './planted.js';

export interface Asked {
  method?: string;
  path: string;
  body?: object;
  token?: string;
  /** Secret that this very answer creates and shows once. */
  isShown?: boolean;
}

/** The used part of a body, and its status. */
export interface Answer {
  status_code: number;
  id: number;
  access_token: string;
  refresh_token: string;
  token: string;
  ticket: string;
  message_id: string;
  session_id: string;
  file: string;
  items: { status: string }[];
}

/** A platform whose settings are full of secrets, and all that leaves it. */
export interface Installation {
  platform: TestPlatform;
  model: ModelServer;
  /** Webhooks go there. */
  receiver: Receiver;
  /** As variables of the environment, for the command line. */
  environment: Record<string, string>;
  /** Texts that have left so far, with the place of each. */
  left: { where: string; text: string }[];
  ask: (asked: Asked) => Promise<Answer>;
  /** Follows what administrators may follow. */
  follow: (token: string) => Promise<void>;
}

/** Nobody listens there. */
export const nobody = 'http://127.0.0.1:9';

export async function startInstallation(t: Test, planted: Planted): Promise<Installation> {
  const { url: collectorUrl, texts } = await collector(t);
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${planted.plant('the key of the collector')}`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  for (const [name, value] of Object.entries(tracing)) {
    process.env[name] = value;
    t.teardown(() => delete process.env[name]);
  }
  const model = await startModelServer(t);
  const receiver = await startReceiver(t, () => ({ status: 500, body: 'no' }));
  const environment = {
    PLATFORM_DATA_DIR: await temporaryFolder(t),
    PLATFORM_DATABASE_URL: await databaseOf(t, planted),
    PLATFORM_BUS_URL: await busOf(t, planted),
    PLATFORM_SECRET_KEY: planted.plant('the master key', (secret) => `${secret}-of-32-characters`),
    PLATFORM_ADMIN_PASSWORD: planted.plant("the administrator's first password"),
    PLATFORM_MODEL_BASE_URL: model.url,
    PLATFORM_MODEL_API_KEY: planted.plant("the key of the platform's model"),
    PLATFORM_SMTP_PASSWORD: planted.plant('the password of the mail server'),
    PLATFORM_UPSTREAM_TOKEN: planted.plant('the token of the registry'),
    PLATFORM_MCP_SERVERS: JSON.stringify([
      { name: 'remote', url: `${nobody}/mcp`, headers: { Authorization: `Bearer ${planted.plant('the header of an MCP server')}` } },
      {
        name: 'local',
        command: '/nowhere/server',
        args: ['--key', planted.plant('an argument')],
        env: { KEY: planted.plant('a variable') },
      },
    ]),
  };
  const settings = {
    data_dir: environment.PLATFORM_DATA_DIR,
    database_url: environment.PLATFORM_DATABASE_URL,
    bus_url: environment.PLATFORM_BUS_URL,
    secret_key: environment.PLATFORM_SECRET_KEY,
    'members.admin_password': environment.PLATFORM_ADMIN_PASSWORD,
    'agents.model.base_url': environment.PLATFORM_MODEL_BASE_URL,
    'agents.model.api_key': environment.PLATFORM_MODEL_API_KEY,
    'agents.mcp_servers': environment.PLATFORM_MCP_SERVERS,
    'notifications.smtp.host': '127.0.0.1',
    'notifications.smtp.port': 9,
    'notifications.smtp.user': 'platform',
    'notifications.smtp.password': environment.PLATFORM_SMTP_PASSWORD,
    'marketplace.upstream_registry': nobody,
    'marketplace.upstream_token': environment.PLATFORM_UPSTREAM_TOKEN,
    fetch_allow: ['127.0.0.0/8'],
    'plugins.trusted': ['guest'],
    log_level: 'debug',
  };
  const platform = await startPlatform(t, { settings });
  const left: Installation['left'] = [];
  texts.push = (...more) => {
    for (const text of more) left.push({ where: 'a trace', text });
    return left.length;
  };
  return {
    platform,
    model,
    receiver,
    environment,
    left,
    ask: (asked) => ask(platform.url, asked, left),
    follow: (token) => follow(t, platform.url, { token, left }),
  };
}

/** Whoever is trusted to connect may send any password with it. */
async function databaseOf(t: Test, planted: Planted): Promise<string> {
  const server = await startPostgres();
  t.teardown(() => server.dispose());
  const url = new URL(await server.fresh());
  if (url.password) planted.keep('the password of the database', decodeURIComponent(url.password));
  else url.password = planted.plant('the password of the database');
  return url.href;
}

async function busOf(t: Test, planted: Planted): Promise<string> {
  const server = await startRedis();
  t.teardown(() => server.stop());
  const url = new URL(server.url);
  const client = new Redis(server.url);
  url.password = planted.plant('the password of Redis');
  await client.config('SET', 'requirepass', url.password);
  client.disconnect();
  return url.href;
}

async function ask(url: string, { method = 'GET', path, body, token, isShown }: Asked, left: Installation['left']): Promise<Answer> {
  const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(body ? { 'content-type': 'application/json' } : {}) };
  const answer = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await answer.text();
  const head = JSON.stringify([...answer.headers]);
  if (!isShown) left.push({ where: `the answer to ${method} ${path.replace(/\?.*/, '')}`, text: head + text });
  return { ...(answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : {}), status_code: answer.status };
}

async function follow(t: Test, url: string, { token, left }: { token: string; left: Installation['left'] }): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { authorization: `Bearer ${token}` } });
  t.teardown(() => socket.terminate());
  await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      left.push({ where: 'a frame', text });
      if (text.includes('"ack"')) resolve(undefined);
    });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', id: 1, data: { topics: ['log', 'extensions'] } })));
  });
}
