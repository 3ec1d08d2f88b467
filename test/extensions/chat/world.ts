import { randomUUID } from 'node:crypto';
import tap, { type Test } from 'tap';
import type { AgentsApi } from '../../../extensions/agents/contract.js';
import type { ChatApi, Message, Sent } from '../../../extensions/chat/contract.js';
import type { MembersApi } from '../../../extensions/members/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { http } from '../../../kernel/client/http.js';
import { isFailure, type StreamEvent } from '../../../kernel/contract/index.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import { type ModelServer, startModelServer } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, type PlatformOptions, startPlatform, type TestPlatform } from '../../helpers/platform.js';

export type PlatformApi = ChatApi & MembersApi & AgentsApi;
export type PlatformClient = Client<PlatformApi>;

export interface World {
  platform: TestPlatform;
  /** Approvals that its AI employees ask for. */
  model: ModelServer;
}

/** Runs a subtest on SQLite with the memory bus, and one on PostgreSQL with Redis: on platforms that the tests of a file share. */
export async function onEachPlatform(t: Test, work: (t: Test, world: World) => Promise<void>): Promise<void> {
  await t.test('sqlite and memory', async (t) => work(t, await worldOn('sqlite')));
  await t.test('postgres and redis', { skip: skipWithout('postgres', 'redis') }, async (t) => work(t, await worldOn('postgres')));
}

const worlds = new Map<string, Promise<World>>();

function worldOn(database: 'sqlite' | 'postgres'): Promise<World> {
  const world = worlds.get(database) ?? startWorld(database);
  worlds.set(database, world);
  return world;
}

async function startWorld(database: 'sqlite' | 'postgres'): Promise<World> {
  const { model, options } = await withModel(tap);
  const shared = database === 'postgres' ? await sharedSettings(tap) : {};
  return { model, platform: await startPlatform(tap, { settings: { ...options.settings, ...shared } }) };
}

/** Settings that make AI employees ask a scripted model. */
export async function withModel(t: Test): Promise<{ model: ModelServer; options: PlatformOptions }> {
  const model = await startModelServer(t);
  const settings = { 'agents.model.base_url': model.url, 'agents.model.name': 'test-model', 'agents.model.api_key': 'sk-test' };
  return { model, options: { settings } };
}

/** The administrator, without a network. */
export function administrator(platform: TestPlatform): PlatformClient {
  return connect<PlatformApi>(platform.kernel.operations(), direct(platform.kernel));
}

/** A member over HTTP. */
export async function login(
  t: Test,
  platform: TestPlatform,
  username = 'admin',
  password = adminPassword,
): Promise<PlatformClient & { token: string }> {
  const operations = platform.kernel.operations();
  const nobody = http({ url: platform.url });
  const { access_token: token } = await connect<MembersApi>(operations, nobody).auth.login({ username, password });
  await nobody.close();
  const transport = http({ url: platform.url, token });
  t.teardown(() => transport.close());
  return Object.assign(connect<PlatformApi>(operations, transport), { token });
}

export interface Someone {
  id: number;
  name: string;
  token: string;
  /** Without a network, and over HTTP. */
  direct: PlatformClient;
  http: PlatformClient;
}

/** A new member, who has nothing yet: tests that share a platform don't see each other. */
export async function someone(t: Test, platform: TestPlatform): Promise<Someone> {
  const name = `m-${randomUUID()}`;
  const { id } = await administrator(platform).members.create({ username: name, password: adminPassword });
  const client = await login(t, platform, name);
  const caller = await platform.kernel.tokenCaller(client.token, 'direct');
  const operations = platform.kernel.operations();
  return {
    id,
    name,
    token: client.token,
    direct: connect<PlatformApi>(operations, direct(platform.kernel, caller)),
    http: client,
  };
}

export async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Reads on in the background once the first event is there; gives what will have been read at the end. */
export async function readOn(stream: AsyncIterable<StreamEvent>): Promise<{ end: Promise<StreamEvent[]> }> {
  const iterator = stream[Symbol.asyncIterator]();
  const first = await iterator.next();
  const rest = collect({ [Symbol.asyncIterator]: () => iterator });
  return { end: rest.then((events) => (first.done ? events : [first.value, ...events])) };
}

/** The state of a reader that applies the events one by one: the text of each message by its id. */
export function textsOf(events: readonly StreamEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { type, data } of events) {
    const { message_id, delta, message } = data as { message_id: string; delta?: string; message?: Message };
    if (type === 'message.delta') texts.set(message_id, (texts.get(message_id) ?? '') + delta);
    if (type === 'snapshot' && message) texts.set(message_id, message.content);
  }
  return texts;
}

/** The message that an event of this type carries. */
export function messageIn(events: readonly StreamEvent[], type: string): Message | undefined {
  return (events.find((event) => event.type === type)?.data as { message?: Message } | undefined)?.message;
}

/** The text of the one message that the events are of. */
export function textOf(events: readonly StreamEvent[]): string {
  return [...textsOf(events).values()][0] ?? '';
}

export const typesOf = (events: readonly StreamEvent[]): string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);

/** Sends, reads the reply to its end, and gives the reply as it is stored. */
export async function converse(
  client: PlatformClient,
  content: string,
  session_id?: string,
): Promise<{ sent: Sent; reply: Message; events: StreamEvent[] }> {
  const sent = await client.chat.send({ content, ...(session_id ? { session_id } : {}) });
  const events = await collect(client.messages.stream({ message_id: sent.message_id }));
  return { sent, events, reply: await replyTo(client, sent) };
}

/** The stored reply to a message, as soon as there is one. */
export function replyTo(client: PlatformClient, { session_id, message_id }: Sent): Promise<Message> {
  const find = async () => (await client.messages.list({ session_id, limit: 200 })).find(({ reply_to }) => reply_to === message_id);
  return until(find, (reply) => reply !== undefined) as Promise<Message>;
}

export async function failureOf(work: Promise<unknown> | AsyncIterable<unknown>): Promise<{ code: string; status: number } | undefined> {
  try {
    if (Symbol.asyncIterator in work) for await (const _ of work) break;
    else await work;
    return undefined;
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    return { code: fault.code, status: fault.status };
  }
}
