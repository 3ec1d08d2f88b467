import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import t, { type Test } from 'tap';
import type { Message, Sent, Session, Task } from '../../../../extensions/chat/contract.js';
import type { NotificationPage } from '../../../../extensions/notifications/contract.js';
import { until } from '../../../helpers/eventually.js';
import { connectMcp, useTool } from '../../../helpers/mcp-client.js';
import { callTools, say } from '../../../helpers/model-server.js';
import type { TestPlatform } from '../../../helpers/platform.js';
import { employee } from '../../chat/room-members.js';
import { administrator, converse, onEachPlatform, type Someone, someone } from '../../chat/world.js';

/** Operations that a member's own MCP client gets and AI employees don't. */
const clientsAlone = [
  'chat.abort',
  'chat.send',
  'contacts.start',
  'messages.delete',
  'messages.edit',
  'messages.get',
  'notifications.get',
  'reactions.add',
  'reactions.remove',
  'sessions.add_member',
  'sessions.get',
  'sessions.join',
  'sessions.notifications',
  'sessions.remove_member',
  'sessions.update',
  'sessions.update_member',
  'tasks.cancel',
  'tasks.failed',
  'tasks.get',
  'tasks.message',
  'unread.mark_read',
];

const toolName = (id: string) => id.replaceAll('.', '_');

interface ByMcp {
  who: Someone;
  client: Client;
  /** Calls a tool; a failure is returned as its code. */
  use: <Answer>(tool: string, input?: object) => Promise<Answer>;
}

/** A new member whose client has read the list of tools, so that it checks each answer against its schema. */
async function memberByMcp(t: Test, platform: TestPlatform): Promise<ByMcp> {
  const who = await someone(t, platform);
  const client = await connectMcp(t, platform.url, who.token);
  await client.listTools();
  const use = async <Answer>(tool: string, input?: object) => (await useTool(client, tool, input)) as Answer;
  return { who, client, use };
}

async function openRoom({ use, who }: ByMcp): Promise<string> {
  const made = await use<Session>('sessions_create', { title: `Jam ${who.name}`, target_type: 'room', visibility: 'open' });
  return made.id;
}

t.test('members meet in a room through MCP clients alone, and one who leaves gets nothing more of it', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = [await memberByMcp(t, platform), await memberByMcp(t, platform)];
    const session_id = await openRoom(ada);
    const root = await ada.use<Sent>('chat_send', { session_id, content: 'Who brings quince?' });
    const { message_id } = root;

    t.match(await ben.use('rooms_list', { query: ada.who.name }), { items: [{ id: session_id }], total: 1 });
    t.equal(await ben.use('messages_list', { session_id }), 'session_not_found', 'nothing is read before joining');
    t.match(await ben.use('sessions_join', { session_id }), { id: session_id, role: 'member', member_count: 2 });
    t.match(await ben.use('messages_list', { session_id }), [{ id: message_id }], 'history is there after joining');

    const reply = await ben.use<Sent>('chat_send', { session_id, thread_id: message_id, content: 'I do' });
    t.match(await ben.use('reactions_add', { message_id, emoji: '👍' }), { reactions: [{ emoji: '👍', count: 1, mine: true }] });
    t.match(await ada.use('messages_list', { session_id, threads: 'roots' }), [
      { id: message_id, reply_count: 1, reactions: [{ emoji: '👍', count: 1, mine: false }] },
    ]);
    t.match(await ada.use('messages_list', { thread_id: message_id }), [{ id: message_id }, { id: reply.message_id, content: 'I do' }]);
    t.match(await ben.use('messages_edit', { message_id: reply.message_id, content: 'I do, two' }), { content: 'I do, two' });
    t.equal(await ben.use('messages_edit', { message_id, content: 'Mine' }), 'not_your_message');

    await ada.use('chat_send', { session_id, content: `@${ben.who.name} two what?` });
    const inbox = () => ben.use<NotificationPage>('notifications_list');
    const { notifications } = await until(inbox, (page) => page.notifications.length === 1);
    t.match(await ben.use('notifications_get', { id: notifications[0]?.id }), { kind: 'mention' });
    t.match(await ben.use('notifications_read', { all: true }), { updated: 1, unread: 0 });
    t.match(await ben.use('sessions_notifications', { session_id, level: 'all' }), { level: 'all' });

    t.equal(await ben.use('sessions_remove_member', { session_id, member_id: ben.who.id }), undefined);
    const { message_id: later } = await ada.use<Sent>('chat_send', { session_id, content: 'Quince for me alone' });
    for (const tool of ['sessions_get', 'sessions_members', 'messages_list', 'unread_mark_read'])
      t.equal(await ben.use(tool, { session_id }), 'session_not_found', tool);
    t.equal(await ben.use('chat_send', { session_id, content: 'Hello?' }), 'session_not_found');
    for (const id of [message_id, later]) {
      t.equal(await ben.use('messages_get', { message_id: id }), 'message_not_found');
      t.equal(await ben.use('reactions_add', { message_id: id, emoji: '👎' }), 'message_not_found');
    }
    t.same(await ben.use('messages_search', { q: 'quince' }), []);
    t.same(await ben.use('sessions_list'), []);

    const other = await openRoom(ada);
    await ben.use('sessions_join', { session_id: other });
    const last = await ada.use<Sent>('chat_send', { session_id: other, content: `@${ben.who.name} here?` });
    const page = await until(inbox, ({ total }) => total > 1);
    t.match(page, { total: 2, notifications: [{ message_id: last.message_id }, {}] }, 'no notification of the message in between');
  });
});

t.test('an owner runs a room through an MCP client, and nobody else does', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = [await memberByMcp(t, platform), await memberByMcp(t, platform)];
    const session_id = await openRoom(ada);
    t.match(await ada.use('sessions_add_member', { session_id, member_ids: [ben.who.id] }), [{ member_id: ben.who.id, role: 'member' }]);
    t.equal(await ben.use('sessions_update', { session_id, topic: 'Mine' }), 'forbidden');
    const change = { topic: 'Breakfast', visibility: 'private' };
    t.match(await ada.use('sessions_update', { session_id, ...change }), change);
    t.match(await ada.use('sessions_get', { session_id }), { ...change, role: 'owner', member_count: 2 });
    t.match(await ada.use('sessions_update_member', { session_id, member_id: ben.who.id, role: 'owner' }), { role: 'owner' });
    const { message_id } = await ada.use<Sent>('chat_send', { session_id, content: 'Toast' });
    t.equal(await ben.use('messages_delete', { message_id }), undefined);
    t.match(await ada.use('messages_get', { message_id }), { content: '', deleted_at: /./ });
    await ben.use('sessions_remove_member', { session_id, member_id: ada.who.id });
    t.equal(await ada.use('sessions_get', { session_id }), 'session_not_found');
  });
});

t.test("an AI employee's answer to a message from an MCP client is found by its task", async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const ada = await memberByMcp(t, platform);
    const session_id = await openRoom(ada);
    const vic = await employee(platform, `Vic ${ada.who.name}`);
    await ada.use('sessions_add_member', { session_id, member_ids: [vic.id] });
    model.script(say('Apricot.'));
    const sent = await ada.use<Sent>('chat_send', { session_id, content: `@${vic.username} which jam?` });
    const task_id = sent.task_ids[0] as string;
    const task = await until(
      () => ada.use<Task>('tasks_get', { task_id }),
      ({ finished_at }) => finished_at !== null,
    );
    t.match(task, { status: 'completed', member_id: vic.id, requested_by: ada.who.id });
    const messages = await ada.use<Message[]>('messages_list', { session_id });
    t.match(messages.at(-1), { id: task.reply_id, content: 'Apricot.' });
    t.match(await ada.use('chat_abort', { message_id: sent.message_id }), { aborted: false });
    t.match(await ada.use('tasks_cancel', { task_id }), { cancelled: false });
  });
});

t.test("tools for members' clients follow the token's scopes and say what they do", async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http, token: login } = await someone(t, platform);
    const scoped = async (scope: 'read' | 'chat') => (await http.tokens.create({ name: scope, scopes: [scope] })).token;
    const listed = async (token: string) => (await (await connectMcp(t, platform.url, token)).listTools()).tools;
    const all = await listed(login);
    const marked = all.filter(({ title = '' }) => clientsAlone.includes(title));
    t.same(marked.map(({ title }) => title).sort(), clientsAlone);
    const isRead = (title?: string) => /\.(?:get|failed)$/.test(title ?? '');
    for (const { title, annotations } of marked) t.equal(annotations?.readOnlyHint, isRead(title), `${title}`);
    const dangerous = marked.filter(({ annotations }) => annotations?.destructiveHint).map(({ title }) => title);
    t.same(dangerous.sort(), ['messages.delete', 'reactions.remove', 'sessions.add_member', 'sessions.remove_member', 'sessions.update']);
    const namesFor = async (scope: 'read' | 'chat') => (await listed(await scoped(scope))).map(({ title = '' }) => title);
    const [read, chat] = [await namesFor('read'), await namesFor('chat')];
    t.same(read.filter((title) => clientsAlone.includes(title)).sort(), clientsAlone.filter(isRead));
    t.same(
      chat.filter((title) => clientsAlone.includes(title)).sort(),
      clientsAlone.filter((title) => !isRead(title)),
    );
    const reader = await connectMcp(t, platform.url, await scoped('read'));
    await t.rejects(useTool(reader, 'chat_send', { content: 'Hello' }), { code: -32_602 });
  });
});

t.test("AI employees get none of the tools for members' clients", async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const operations = Object.entries(platform.kernel.operations());
    t.same(operations.flatMap(([id, { mcp }]) => (mcp ? [id] : [])).sort(), clientsAlone);
    const admin = administrator(platform);
    const { id: member_id } = await admin.members.create_virtual({ name: 'Bold', mode: 'autonomous' });
    const names = clientsAlone.map(toolName);
    t.match(await admin.agents.update({ member_id, tools: names }), { missing_tools: names }, 'they cannot be selected');
    await admin.agents.update({ member_id, tools: 'all' });
    const { http } = await someone(t, platform);
    const { id: session_id } = await http.sessions.create({ title: '', target_type: 'ai', target_id: member_id });
    const calls = names.map((name) => ({ name, arguments: { session_id, content: 'By itself' } }));
    model.script(callTools(calls.slice(0, 10)), callTools(calls.slice(10)), say('Well.'));
    const { reply } = await converse(http, 'Send something', session_id);
    t.equal(reply.tool_calls.length, names.length);
    for (const { error } of reply.tool_calls) t.match(error, /^Unknown tool/);
    const offered = model.exchanges.at(-1)?.body.tools?.map(({ function: { name } }) => name) ?? [];
    t.ok(offered.includes('messages_list'));
    t.same(
      offered.filter((name) => names.includes(name)),
      [],
    );
    t.equal((await http.messages.list({ session_id, limit: 50 })).length, 2, 'nothing was sent');
  });
});
