import t, { type Test } from 'tap';
import type { OperationData } from '../../kernel/contract/index.js';
import { login } from '../extensions/chat/world.js';
import { fixture, ownExtension, startPlatform, type TestPlatform } from '../helpers/platform.js';
import { pluginZip } from '../kernel/core/plugins/bundle.js';
import { trusting, worldOf } from '../kernel/core/plugins/world.js';
import { type FieldCase, httpCases } from './fields/http.js';

const own = ['members', 'chat', 'agents', 'nodes', 'schedules', 'notifications', 'marketplace'];
const guest = pluginZip({
  config: { type: 'object', properties: { greeting: { type: 'string' }, api_key: { type: 'string', writeOnly: true } } } as never,
  activate: `ctx.expose({ 'guest.note': op('note', { tool: true, input: (j) => j.object({
    text: j.string(), style: j.object({ bold: j.boolean() }), labels: j.object().unknown() }) }) }, { 'guest.note': (input) => input });`,
});

interface Place {
  platform: TestPlatform;
  token: string;
  /** Ids by the words that stand for them in paths. */
  ids: Readonly<Record<string, number | string>>;
}

async function open(t: Test): Promise<Place> {
  const extensions = [...own.map(ownExtension), fixture('market'), fixture('hello')];
  const noEngine = { ...trusting, docker_host: 'unix:///nowhere/docker.sock' };
  const platform = await startPlatform(t, { extensions, settings: noEngine });
  await worldOf(platform).install(guest);
  const { token } = await login(t, platform);
  const done = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const answer = await ask({ platform, token }, method, path, { body });
    t.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as { id: number; message_id: string };
  };
  const made = async (path: string, body: object) => (await done('POST', path, body)).id;
  const text = { content: 'hello', target_type: '', target_id: '' };
  const ids = {
    room: await made('/api/chat/sessions', { title: 'Plans', target_type: 'room', target_id: '' }),
    message: (await done('POST', '/api/chat/send', text)).message_id,
    employee: await made('/api/members/virtual', { name: 'Otto' }),
    member: await made('/api/members', { username: 'mary', password: 'long enough' }),
    node: await made('/api/remote-nodes', {
      name: 'n1',
      node_type: 'docker',
      host: 'ssh://nobody@127.0.0.1:1',
      config: { ssh: { host_key: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU', password: 'secret' } },
    }),
    schedule: await made('/api/admin/schedules', {
      name: 's1',
      trigger_type: 'interval',
      trigger_value: '5m',
      enabled: false,
      action: 'chat.send',
      params: { content: 'hello' },
    }),
  };
  const place = { platform, token, ids };
  const model = { base_url: 'https://models.example.org/v1', api_key: 'sesame-key', model: 'm' };
  await done('PUT', `/api/agents/${ids.employee}`, { model, limits: { steps: 3 } });
  const settings = { url: 'https://hooks.example.org/x' };
  await done('PUT', '/api/notifications/preferences', { channels: { webhook: { settings } } });
  return place;
}

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

async function ask(
  { platform, token }: Pick<Place, 'platform' | 'token'>,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(platform.url + path, { method, headers: { authorization: `Bearer ${token}`, ...type, ...headers }, ...sent });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

function filled(path: string, ids: Place['ids']): string {
  return path.replace(/\{(\w+)\}/g, (_found, name: string) => String(ids[name]));
}

async function check(t: Test, place: Place, { method, path, body, headers, ...expected }: FieldCase): Promise<void> {
  const answer = await ask(place, method, filled(path, place.ids), { body, headers: headers ?? {} });
  t.equal(answer.status, expected.status, JSON.stringify(answer.body));
  if (expected.ignored !== undefined) t.equal(answer.headers.get('x-ignored-fields'), expected.ignored);
  if (expected.applied !== undefined) t.equal(answer.headers.get('preference-applied'), expected.applied);
  const { code, details = [] } = (answer.body ?? {}) as { code?: string; details?: { path: string; message: string }[] };
  if (expected.code !== undefined) t.equal(code, expected.code);
  if (expected.details === undefined) return;
  t.same(details.map((fault) => fault.path).sort(), Object.keys(expected.details).sort());
  for (const fault of details) t.ok(fault.message.includes(expected.details[fault.path] ?? ''), `${fault.path}: ${fault.message}`);
}

/** Whether clients may send back by `PUT` what they have read under the same path; not for the fixtures' own. */
const isPair = (operations: readonly OperationData[]) => (put: OperationData) =>
  put.method === 'PUT' &&
  !put.path.startsWith('/api/x/') &&
  operations.some((get) => get.method === 'GET' && get.path === put.path && get.kind === 'call');

/** The word that stands for the id of each path. */
const words: Readonly<Record<string, string>> = {
  '/api/chat/sessions/{session_id}': '/api/chat/sessions/{room}',
  '/api/chat/messages/{message_id}': '/api/chat/messages/{message}',
  '/api/members/{id}': '/api/members/{member}',
  '/api/agents/{member_id}': '/api/agents/{employee}',
  '/api/remote-nodes/{id}': '/api/remote-nodes/{node}',
  '/api/admin/schedules/{id}': '/api/admin/schedules/{schedule}',
  '/api/admin/plugins/{name}/config': '/api/admin/plugins/guest/config',
};

const changing = ['updated_at', 'since'];
const steady = (record: unknown) => Object.fromEntries(Object.entries(record as object).filter(([key]) => !changing.includes(key)));

t.test('fields over HTTP are accepted, ignored or rejected', async (t) => {
  const place = await open(t);
  for (const one of httpCases) await t.test(`${one.name} (${one.source})`, (t) => check(t, place, one));

  await t.test('pages of other origins may read which fields were ignored', async (t) => {
    const platform = await startPlatform(t, { extensions: [ownExtension('members')], settings: { cors_origins: ['https://a.example'] } });
    const answer = await fetch(`${platform.url}/api/version`, { headers: { origin: 'https://a.example' } });
    t.match(answer.headers.get('access-control-expose-headers'), /X-Ignored-Fields/);
  });

  const operations = Object.values(place.platform.kernel.operations());
  for (const { path } of operations.filter(isPair(operations)))
    await t.test(`the answer of GET ${path} can be sent back by PUT, in strict handling too (google.aip.dev/203)`, async (t) => {
      const url = filled(words[path] ?? path, place.ids);
      const before = await ask(place, 'GET', url);
      t.equal(before.status, 200, JSON.stringify(before.body));
      const answer = await ask(place, 'PUT', url, { body: before.body, headers: { prefer: 'handling=strict' } });
      t.equal(answer.status, 200, JSON.stringify(answer.body));
      t.same(steady(answer.body), steady(before.body), 'the record is unchanged');
    });
});
