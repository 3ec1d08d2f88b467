import t, { type Test } from 'tap';
import type { Message, Session } from '../../../extensions/chat/contract.js';
import type { Kernel } from '../../../kernel/boot/kernel.js';
import type { ServiceMembers } from '../../../kernel/contract/index.js';
import { openData } from '../../../kernel/platform/data/hub.js';
import { freshPostgres, silentLog, systemClock } from '../../helpers/databases.js';
import { until } from '../../helpers/eventually.js';
import { type ModelServer, say, startModelServer } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { type OldRelease, unpackRelease } from './old-release.js';
import { dataUrl, png } from './pictures.js';

/** Members of the sessions below; an AI employee and a plugin's member count. */
const memberCounts = { ai: 2, member: 2, notes: 1, guest: 2 };

interface Ask {
  by?: string;
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: object;
  key?: string;
}

interface Answer {
  status: number;
  body: unknown;
}

/** A running platform of any version, asked over HTTP as clients of the old version ask. */
class Server {
  readonly kernel: Kernel;
  readonly tokens: Map<string, string>;

  constructor(kernel: Kernel, tokens: Map<string, string> = new Map()) {
    this.kernel = kernel;
    this.tokens = tokens;
  }

  async ask({ by = 'ada', method, path, body, key }: Ask): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.tokens.get(by)}` };
    if (body) headers['content-type'] = 'application/json';
    if (key) headers['idempotency-key'] = key;
    const response = await fetch(`${this.kernel.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, body: isJson ? JSON.parse(bytes.toString()) : bytes.toString('base64') };
  }

  async give<Body>(ask: Ask): Promise<Body> {
    const { status, body } = await this.ask(ask);
    if (status >= 300) throw new Error(`${ask.method} ${ask.path}: ${status} ${JSON.stringify(body)}`);
    return body as Body;
  }

  async logIn(username: string): Promise<void> {
    const path = '/api/auth/login';
    const { access_token } = await this.give<{ access_token: string }>({
      ...{ method: 'POST', path, body: { username, password: adminPassword } },
    });
    this.tokens.set(username, access_token);
  }
}

const post = (path: string, body: object, by = 'ada'): Ask => ({ by, method: 'POST', path: `/api/chat/${path}`, body });
const get = (path: string, by = 'ada'): Ask => ({ by, method: 'GET', path: `/api/chat/${path}` });
const people = ['ada', 'ben', 'cleo'];

/** Ids of an installation's data. */
interface Data {
  /** Sessions of ada, by their kind. */
  sessions: Record<'ai' | 'member' | 'notes' | 'guest' | 'hidden', string>;
  task_id: string;
  image: string;
  ids: ReadonlyMap<string, number>;
}

/** The sentence that each member sends with a key, so that a repetition stores it once. */
const keyed: Ask = { ...post('send', { content: 'Sent once', target_type: '' }), key: 'a-key-of-ada' };

async function fill(server: Server, model: ModelServer): Promise<Data> {
  await server.logIn('admin');
  const ids = new Map<string, number>();
  for (const username of people) {
    const made = await server.give<{ id: number }>({
      ...{ by: 'admin', method: 'POST', path: '/api/members', body: { username, password: adminPassword } },
    });
    ids.set(username, made.id);
    await server.logIn(username);
  }
  const send = (body: object, by?: string) =>
    server.give<{ session_id: string; message_id: string; task_id: string }>(post('send', body, by));
  model.script(say('Only in **February**.'));
  const asked = await send({ content: 'Is the harbour frozen?' });
  await completed(server, asked.session_id, 2);
  const pair = await send({ content: 'Marmalade for breakfast', target_type: 'member', target_id: ids.get('ben') });
  for (const content of ['Toast', 'Tea', 'And marmalade']) await send({ session_id: pair.session_id, content }, 'ben');
  await server.give(post('mark-read', { session_id: pair.session_id }, 'ben'));
  const image = { url: dataUrl(png(3, 4, 5)), mime_type: 'image/png', name: 'harbour.png' };
  const notes = await send({ content: 'A picture of the harbour 港', images: [image], target_type: '' });
  const guest = await server.give<Session>(post('sessions', { title: 'Alerts', target_type: '', target_id: '' }));
  await greet(server, guest.id);
  const hidden = await send({ content: 'Hidden marmalade', target_type: 'member', target_id: ids.get('cleo') });
  await server.give({ method: 'DELETE', path: `/api/chat/sessions/${hidden.session_id}` });
  const [message] = await server.give<Message[]>(get(`messages?session_id=${notes.session_id}`));
  const sessions = { ai: asked.session_id, member: pair.session_id, notes: notes.session_id, guest: guest.id, hidden: hidden.session_id };
  return { sessions, task_id: asked.task_id, image: message?.images[0]?.url as string, ids };
}

/** Adds a plugin's own member to a session, in which it writes. */
async function greet(server: Server, session_id: string): Promise<void> {
  const [maker] = server.kernel.host.running.get('members')?.draft.slots.get('plugins.member') ?? [];
  const caller = await (maker as ServiceMembers).caller({ id: 'acme.hooks', name: 'Hooks' });
  await server.give(post(`sessions/${session_id}/members`, { member_id: caller.member_id }));
  await server.kernel.invoke('chat.send', { session_id, content: 'Ding: marmalade' }, caller);
}

async function completed(server: Server, session_id: string, messages: number): Promise<void> {
  await until(
    () => server.give<Message[]>(get(`messages?session_id=${session_id}`)),
    (found) => found.filter(({ status }) => status === 'completed').length === messages,
  );
}

/** All that members can read. */
function reads({ sessions, task_id, image, ids }: Data): Ask[] {
  const asks = ['sessions?limit=50', 'unread-counts', 'contacts', 'active-tasks', `tasks/${task_id}`];
  for (const id of Object.values(sessions)) asks.push(`sessions/${id}`, `messages?session_id=${id}`, `sessions/${id}/members`);
  for (const q of ['marmalade', 'febr', 'harbour', '港', 'quince']) asks.push(`messages/search?q=${encodeURIComponent(q)}`);
  asks.push(`messages/search?q=marmalade&session_id=${sessions.member}`);
  for (const kind of ['ai', 'member', ''])
    asks.push(`sessions?target_type=${kind}`, `lookup?target_type=${kind}&target_id=${ids.get('ben')}`);
  const others: Ask[] = ['/api/members/me/usage', '/api/members?page_size=50', image].map((path) => ({ method: 'GET', path }));
  return [...people.flatMap((by) => asks.map((path) => get(path, by))), ...others];
}

/** Requests of clients that know only conversations of two. */
function writes({ ids, sessions }: Data): Ask[] {
  const ben = ids.get('ben');
  return [
    keyed,
    post('sessions', { title: 'Notes', target_type: '', target_id: '' }),
    post('sessions', { title: 'With Ben', target_type: 'member', target_id: ben }),
    post('sessions', { title: 'Answers', target_type: 'ai', target_id: '' }),
    post('sessions', { title: 'Nobody', target_type: 'member', target_id: 9_999 }),
    post('contacts/start', { member_id: ben }),
    post('send', { content: 'And jam', target_type: 'member', target_id: ben }, 'cleo'),
    post('send', { content: 'More', session_id: sessions.notes }),
    post('send', { content: 'Not mine', session_id: sessions.notes }, 'ben'),
    post('send', { content: '', session_id: sessions.notes }),
    post('send', { content: 'Again?', session_id: sessions.ai }),
    post('mark-read', { session_id: sessions.member }, 'cleo'),
  ];
}

/** Fields that the changelog names. */
const session = ['active_task_ids', 'visibility', 'topic', 'member_count', 'mention_count', 'role', 'notifications'];
const message = ['files', 'mentions', 'edited_at', 'deleted_at', 'thread_id', 'reply_count', 'last_reply_at', 'reactions'];
const sent = ['task_ids', 'not_in_room'];
const member = ['is_virtual', 'role', 'answers', 'email'];
const documented = new Set([...session, ...message, ...sent, ...member]);

/** Returns the part of a value that has the fields of an earlier one; adds the others to a set. */
function asBefore(now: unknown, before: unknown, added: Set<string>): unknown {
  if (Array.isArray(now) && Array.isArray(before)) return now.map((one, at) => asBefore(one, before[at], added));
  if (!isRecord(now) || !isRecord(before)) return now;
  const kept = Object.entries(now).filter(([name]) => name in before || !added.add(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, asBefore(value, before[name], added)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value without the ids of requests. */
function ofAnyRequest(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"request_id":"[^"]+"/g, '"request_id":"<id>"'));
}

/** Returns a value without all ids and times, because each request makes others, and with sentences as they were before messages had files. */
function ofAnyTime(value: unknown): unknown {
  const text = JSON.stringify(ofAnyRequest(value))
    .replaceAll('only with images or files', 'only with images')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>');
  return JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'));
}

async function answersOf(server: Server, asks: readonly Ask[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const ask of asks) answers.push(await server.ask(ask));
  return answers;
}

interface Answers {
  before: readonly unknown[];
  after: readonly unknown[];
}

/** Compares answers; those after the upgrade may have further fields, if they are documented. */
function same(t: Test, asks: readonly Ask[], { before, after }: Answers): void {
  const added = new Set<string>();
  for (const [at, { by = '', method, path }] of asks.entries())
    t.same(asBefore(after[at], before[at], added), before[at], `${by} ${method} ${path}`);
  const others = [...added].filter((name) => !documented.has(name));
  t.same(others, [], 'all new fields are documented');
}

async function upgrade(t: Test, old: OldRelease, database_url: string): Promise<void> {
  const model = await startModelServer(t);
  const data_dir = await temporaryFolder(t);
  const settings = {
    ...{ data_dir, database_url, port: 0, 'members.admin_password': adminPassword, 'agents.model.base_url': model.url },
    ...{ 'agents.model.name': 'test-model', 'agents.model.api_key': 'sk-test', 'limits.requests_per_minute': 0 },
  };
  const kernel = await old.boot(old.loadConfig({ env: {}, overrides: { ...settings, log_level: 'error' } }), {
    ...{ listen: true, background: true, strict: true },
  });
  t.teardown(() => kernel.close());
  const before = new Server(kernel);
  const data = await fill(before, model);
  const writing = writes(data);
  model.script(say('Yes.'));
  const written = await answersOf(before, writing);
  await completed(before, data.sessions.ai, 4);
  const reading = reads(data);
  const read = await answersOf(before, reading);
  await kernel.close();

  const platform = await startPlatform(t, { settings });
  const after = new Server(platform.kernel, before.tokens);
  // On SQLite the search index is made anew in the background.
  const searches = reading.filter(({ path }) => path.includes('/search?'));
  const countsOf = (answers: readonly Answer[]) => JSON.stringify(answers.map(({ body }) => (body as unknown[]).length));
  const counts = countsOf(read.filter((_answer, at) => searches.includes(reading[at] as Ask)));
  await until(
    async () => countsOf(await answersOf(after, searches)),
    (found) => found === counts,
  );
  await t.test('what members read is as before, with documented new fields', async (t) => {
    same(t, reading, { before: read.map(ofAnyRequest), after: (await answersOf(after, reading)).map(ofAnyRequest) });
  });
  await t.test('members of sessions are counted', async (t) => {
    const counts = Object.entries(memberCounts) as [keyof typeof memberCounts, number][];
    for (const [kind, member_count] of counts)
      t.match(await after.give(get(`sessions/${data.sessions[kind]}`)), { member_count, mention_count: 0, visibility: 'private' }, kind);
  });
  await t.test('requests of earlier clients have the answers of before, with documented new fields', async (t) => {
    const [repeated, ...others] = await answersOf(after, writing);
    t.same(repeated, written[0], 'a request that is repeated with its key is known');
    same(t, writing.slice(1), { before: written.slice(1).map(ofAnyTime), after: others.map(ofAnyTime) });
    await completed(after, data.sessions.ai, 6);
  });
  await t.test('people of before make a room, write in it and search it', async (t) => roomWorks(t, after, data));
  await t.test('the migrations of rooms have run', async (t) => {
    await platform.kernel.close();
    const opened = await openData({ url: database_url, data_dir, clock: systemClock, log: silentLog });
    t.teardown(() => opened.close());
    const rows = await opened.facade('kernel').rows<{ name: string }>("SELECT name FROM kernel_migrations WHERE owner = 'chat'");
    const names = new Set(rows.map(({ name }) => name));
    t.ok(names.has('0030-message-changes') && names.has('0031-rooms'));
  });
}

async function roomWorks(t: Test, server: Server, { ids, sessions }: Data): Promise<void> {
  const member_ids = [ids.get('ben'), ids.get('cleo')];
  const room = await server.give<Session>(post('sessions', { title: 'Plans', target_type: 'room', target_id: '', member_ids }));
  t.match(room, { member_count: 3, role: 'owner' });
  const { message_id } = await server.give<{ message_id: string }>(post('send', { session_id: room.id, content: 'Quince for @ben' }));
  t.match(await server.give(get('sessions?limit=1', 'ben')), [{ id: room.id, unread_count: 1, mention_count: 1 }]);
  t.match(await server.give(get('unread-counts', 'cleo')), { counts: { [room.id]: 1 } });
  for (const by of people) t.match(await server.give(get('messages/search?q=quince', by)), [{ id: message_id }], by);
  const listed = await server.give<Session[]>(get('sessions?limit=50'));
  t.same([listed[0]?.id, listed.some(({ id }) => id === sessions.member)], [room.id, true]);
}

const old = await unpackRelease(t, '0.2.0');

t.test('an installation of 0.2.0 goes on with all its data on SQLite', async (t) => upgrade(t, old, 'sqlite:'));

t.test('an installation of 0.2.0 goes on with all its data on PostgreSQL', { skip: skipWithout('postgres') }, async (t) =>
  upgrade(t, old, await freshPostgres()),
);
