import type { Test } from 'tap';
import type { ChatApi, Message, Sent } from '../../../extensions/chat/contract.js';
import type { MembersApi } from '../../../extensions/members/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { http } from '../../../kernel/client/http.js';
import { isFailure, type StreamEvent } from '../../../kernel/contract/index.js';
import { until } from '../../helpers/eventually.js';
import { type ModelServer, startModelServer } from '../../helpers/model-server.js';
import { adminPassword, type PlatformOptions, type TestPlatform } from '../../helpers/platform.js';

export type PlatformClient = Client<ChatApi & MembersApi>;

/** Settings that make AI employees ask a scripted model. */
export async function withModel(t: Test): Promise<{ model: ModelServer; options: PlatformOptions }> {
  const model = await startModelServer(t);
  const settings = { 'agents.model.base_url': model.url, 'agents.model.name': 'test-model', 'agents.model.api_key': 'sk-test' };
  return { model, options: { settings } };
}

/** The administrator, without a network. */
export function direct_(platform: TestPlatform): PlatformClient {
  return connect<ChatApi & MembersApi>(platform.kernel.operations(), direct(platform.kernel));
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
  return Object.assign(connect<ChatApi & MembersApi>(operations, transport), { token });
}

/** Another member, over HTTP. */
export async function newMember(
  t: Test,
  platform: TestPlatform,
  username: string,
): Promise<PlatformClient & { id: number; token: string }> {
  const { id } = await direct_(platform).members.create({ username, password: adminPassword });
  return Object.assign(await login(t, platform, username), { id });
}

export async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** What a reader has who applies the events one by one: the text of each message by its id. */
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
