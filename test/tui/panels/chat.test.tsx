import t from 'tap';
import panel from '../../../extensions/chat/panel.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';
import { drawPanel, now } from '../drawn.js';

const at = (ms: number) => new Date(now - ms).toISOString();
const session = (id: string, title: string, more: object = {}) => ({
  id,
  title,
  target_type: 'ai',
  unread_count: 0,
  last_message_at: at(120_000),
  last_message_preview: 'The last words',
  active_task_id: null,
  active_task_ids: [],
  mention_count: 0,
  role: 'member',
  ...more,
});
const message = (id: string, sender_name: string, content: string, more: object = {}) => ({
  id,
  sender_name,
  content,
  status: 'completed',
  task_id: null,
  images: [],
  files: [],
  tool_calls: [],
  notices: [],
  error: null,
  created_at: at(60_000),
  edited_at: null,
  deleted_at: null,
  reply_count: 0,
  last_reply_at: null,
  reactions: [],
  ...more,
});
const contact = {
  member_id: 2,
  nickname: 'Grace',
  is_virtual: true,
  post: 'Admiral',
  role: 'member',
  presence: 'online',
  last_message_at: null,
};
const approval = { id: 'a1', name: 'shell', input: { command: 'ls' } };

interface Given {
  sessions?: object[];
  messages?: object[];
  events?: StreamEvent[];
  members?: object[];
  /** Replies of each thread. */
  replies?: object[];
  /** The member's own tasks. */
  tasks?: object[];
  not_in_room?: object[];
}

function installation({ sessions = [session('s1', 'About ducks', { unread_count: 3 })], ...given }: Given = {}) {
  const { messages = [], events = [], members = [], replies = [], tasks = [], not_in_room = [] } = given;
  const calls: unknown[] = [];
  const note = (name: string) => async (input: object) => void calls.push({ [name]: input });
  const client = {
    sessions: {
      list: async () => sessions,
      get: async ({ session_id }: { session_id: string }) => sessions.find((each) => (each as { id: string }).id === session_id),
      delete: note('delete'),
      members: async () => members,
      add_member: note('add'),
    },
    messages: {
      list: async ({ thread_id }: { thread_id?: string }) =>
        thread_id === undefined ? messages : [...messages.filter((each) => (each as { id: string }).id === thread_id), ...replies],
    },
    contacts: {
      list: async () => [contact],
      start: async ({ member_id }: { member_id: number }) => {
        calls.push({ start: { member_id } });
        return { session: sessions[0] };
      },
    },
    chat: {
      send: async (input: object) => {
        calls.push({ send: input });
        return { not_in_room };
      },
    },
    unread: { mark_read: note('read') },
    approvals: { decide: note('decide'), get: async () => approval },
    tasks: {
      active: async () => tasks,
      cancel: note('cancel'),
      stream: async function* stream() {
        yield* events;
        await new Promise(() => undefined);
      },
    },
  };
  return { calls, client };
}

t.test('conversations are listed with their unread counts', async (t) => {
  const drawn = drawPanel(t, panel, installation());
  await drawn.shows('1 conversations  unread: 3');
  await drawn.shows(/> About ducks +3 +2 min ago +The last words/);
});

t.test('an open conversation has an input line that sends with enter and stays open', async (t) => {
  const { calls, client } = installation({ messages: [message('m1', 'Grace', 'Quack?\n\u001B[2JTwo lines')] });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('About ducks');
  drawn.press('enter');
  await drawn.shows(/Grace, 1 min ago:\nQuack\?\nTwo lines/);
  await drawn.becomes(() => calls.length > 0, 'read');
  t.same(calls.splice(0), [{ read: { session_id: 's1' } }]);
  await drawn.shows('To About ducks');
  t.same(drawn.offered, ['enter send', 'ctrl-t threads', 'esc commands', 'tab next view', 'ctrl-c quit']);
  drawn.type('i ask: q? jx1');
  await drawn.shows('> i ask: q? jx1_');
  drawn.press('enter');
  await drawn.becomes(() => calls.length > 0, 'sent');
  t.same(calls.splice(0), [{ send: { session_id: 's1', content: 'i ask: q? jx1' } }]);
  await drawn.shows(/^> _/m);
  drawn.press('enter');
  drawn.type('!');
  await drawn.shows('> !_');
  t.same(calls, [], 'an empty line is not sent');
});

t.test('esc leaves the line with its text, and keys are commands until i or enter opens it again', async (t) => {
  const { calls, client } = installation();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('About ducks');
  drawn.press('enter');
  await drawn.shows('To About ducks');
  drawn.type('Not yet');
  drawn.press('esc');
  await drawn.loses('To About ducks');
  t.ok(drawn.offered.includes('i write') && drawn.offered.includes('esc back'));
  drawn.press('i');
  await drawn.shows('> Not yet_');
  drawn.press('esc', 'esc');
  await drawn.shows('1 conversations');
  drawn.press('enter');
  await drawn.shows('> Not yet_');
  drawn.press('esc', 'enter', 'ctrl-u');
  await drawn.shows(/^> _/m);
  t.notMatch(JSON.stringify(calls), 'send');
});

t.test('arrow keys move within the line and recall sent messages', async (t) => {
  const mine = { sender_id: 1 };
  const { calls, client } = installation({
    messages: [message('m1', 'ada', 'First', mine), message('m2', 'Grace', 'Theirs'), message('m3', 'ada', 'Second', mine)],
  });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('About ducks');
  drawn.press('enter');
  await drawn.shows('Theirs');
  drawn.type('new');
  drawn.press('up');
  await drawn.shows('> Second_');
  drawn.press('up', 'up');
  await drawn.shows('> First_');
  drawn.press('down', 'down');
  await drawn.shows('> new_');
  drawn.press('home', 'right', '-', 'end', '!', 'left', '?');
  await drawn.shows('> n-ew?_!');
  drawn.press('enter');
  await drawn.becomes(() => calls.some((call) => JSON.stringify(call).includes('n-ew?!')), 'sent');
});

t.test('a paste of several lines is one message and no command', async (t) => {
  const { calls, client } = installation();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('About ducks');
  drawn.press('enter');
  await drawn.shows('To About ducks');
  drawn.paste('one\r\ntwo\rx\u001B[2J\u0007');
  await drawn.shows(/^> one\n {2}two\n {2}x_/m);
  t.ok(drawn.lines.length <= drawn.size.rows);
  drawn.press('enter');
  await drawn.becomes(() => calls.length > 0, 'sent');
  t.same(calls[0], { send: { session_id: 's1', content: 'one\ntwo\nx' } });
  drawn.press('esc');
  await drawn.loses('To About ducks');
  drawn.paste('i');
  drawn.press('i');
  await drawn.shows(/^> _/m);
});

t.test('a message that could not be sent returns to the line', async (t) => {
  const { client } = installation();
  const refused = async () => {
    throw new Error('Too long');
  };
  const drawn = drawPanel(t, panel, { client: { ...client, chat: { send: refused } } });
  await drawn.shows('About ducks');
  drawn.press('enter');
  await drawn.shows('To About ducks');
  drawn.type('Quack');
  drawn.press('enter');
  await drawn.becomes(() => drawn.notices.length > 0, 'refused');
  t.same(drawn.notices, ['! Too long']);
  await drawn.shows('> Quack_');
});

t.test('a reply is shown as it is written, its request can be denied, and it can be stopped', async (t) => {
  const events = [
    { type: 'message.delta', data: { delta: 'I look' } },
    { type: 'tool.started', data: { tool_call_id: '1', name: 'shell', input: { command: 'ls' } } },
    { type: 'approval.required', data: { approval } },
  ];
  const { calls, client } = installation({
    sessions: [session('s1', 'Files', { active_task_id: 't1' })],
    messages: [message('m1', 'ada', 'Look'), message('m2', 'Grace', '', { status: 'streaming', task_id: 't1' })],
    events,
  });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('replying');
  drawn.press('enter');
  await drawn.shows(/Grace, 1 min ago \(writes\):\nI look\n> shell \{"command":"ls"\}/);
  await drawn.shows('Approval needed (ctrl-y approves, ctrl-n denies): shell {"command":"ls"}');
  t.ok(drawn.lines.length <= drawn.size.rows);
  t.same(drawn.offered.slice(0, 5), ['enter send', 'ctrl-y approve', 'ctrl-n deny', 'ctrl-x stop', 'ctrl-t threads']);
  drawn.type('adx');
  await drawn.shows('> adx_');
  drawn.press('ctrl-n', 'ctrl-x', 'ctrl-y');
  await drawn.becomes(() => calls.length > 3, 'done');
  const decided = (decision: string) => ({ decide: { id: 'a1', decision, reason: '' } });
  t.same(calls.splice(0).slice(1), [decided('deny'), { cancel: { task_id: 't1' } }, decided('approve')]);
  drawn.press('esc');
  await drawn.loses('To Files');
  drawn.press('d', 'x', 'ctrl-y');
  await drawn.becomes(() => calls.length > 2, 'done');
  t.same(calls, [decided('deny'), { cancel: { task_id: 't1' } }, decided('approve')]);
});

t.test('messages and the reply that is being written are Markdown, within the width', async (t) => {
  const table = '| Name | Note |\n|--|--|\n| Duck | swims and quacks all day long |';
  const link = '[https://bank.example](https://evil.example)';
  const { client } = installation({
    sessions: [session('s1', 'Birds', { active_task_id: 't1' })],
    messages: [
      message('m1', 'ada', `- List\n  - **nested**\n\n${link} &#x202E;<b>`),
      message('m2', 'Grace', '', { status: 'streaming', task_id: 't1' }),
    ],
    events: [
      { type: 'message.delta', data: { delta: `## Birds\n\n${table.slice(0, 40)}` } },
      { type: 'message.delta', data: { delta: `${table.slice(40)}\n\n\`\`\`\n${'code '.repeat(8)}` } },
    ],
  });
  const drawn = drawPanel(t, panel, { client, size: { columns: 34, rows: 24 } });
  await drawn.shows('> Bir…');
  drawn.press('enter');
  await drawn.shows('code code');
  t.same(drawn.lines.slice(0, 20), [
    '1 conversations  unread: 0',
    'ada, 1 min ago:',
    '• List',
    '  • **nested**',
    '',
    'https://bank.example',
    '(https://evil.example) <b>',
    '',
    'Grace, 1 min ago (writes):',
    '## Birds',
    '',
    'Name │ Note',
    '─────┼────────────────────────────',
    'Duck │ swims and quacks all day',
    '     │ long',
    '',
    '```',
    'code code code code code code code',
    ' code',
    '```',
  ]);
});

t.test('a new conversation is begun with a contact', async (t) => {
  const { calls, client } = installation();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('About ducks');
  drawn.press('n');
  await drawn.shows(/> Grace +Admiral +online/);
  drawn.press('enter');
  await drawn.shows('To About ducks');
  t.same(calls[0], { start: { member_id: 2 } });
  drawn.press('esc', 'esc');
  await drawn.shows('1 conversations');
});

t.test('with --readonly nothing is sent, deleted or marked as read', async (t) => {
  const { calls, client } = installation({ messages: [message('m1', 'Grace', 'Quack?')] });
  const drawn = drawPanel(t, panel, { client, readonly: true });
  await drawn.shows('About ducks');
  drawn.press('n', 'ctrl-d', 'enter');
  await drawn.shows('Quack?');
  t.notOk(drawn.frame.includes('To About ducks'));
  drawn.press('i', 'x', 'enter', 'a', 'd', 'ctrl-y', 'ctrl-n', 'ctrl-x', 'enter');
  drawn.paste('text\n');
  drawn.press('esc');
  await drawn.shows('1 conversations');
  t.same(calls, []);
});

t.test('without a conversation the panel explains how to start one', async (t) => {
  const drawn = drawPanel(t, panel, installation({ sessions: [] }));
  await drawn.shows('No conversation yet: n begins one');
});

const room = (more: object = {}) => session('r1', 'Launch', { target_type: 'room', role: 'owner', ...more });

t.test('rooms are listed with unread messages and mentions', async (t) => {
  const sessions = [room({ unread_count: 5, mention_count: 2 }), session('s1', 'About ducks')];
  const drawn = drawPanel(t, panel, installation({ sessions }));
  await drawn.shows(/title +unread +mentions/i);
  await drawn.shows(/# Launch +5 +2/);
  drawn.press('ctrl-d');
  await drawn.shows("End the room 'Launch' for everybody");
});

t.test('a room shows names, edits, deletions, reactions and the length of threads, also as frames arrive', async (t) => {
  const messages = [
    message('m1', 'Grace', 'Hello', { edited_at: at(1), reply_count: 3 }),
    message('m2', 'Ben', '', { deleted_at: at(1) }),
    message('m3', 'Ada', 'Yes', { reactions: [{ emoji: '👍', count: 2, mine: true }], reply_count: 1 }),
  ];
  const drawn = drawPanel(t, panel, installation({ sessions: [room()], messages }));
  await drawn.shows('# Launch');
  drawn.press('enter');
  await drawn.shows(/Grace, 1 min ago \(edited\):\nHello\n3 replies\n/);
  await drawn.shows(/Ben, 1 min ago:\nMessage deleted\n/);
  await drawn.shows(/Ada, 1 min ago:\nYes\n👍 2 \(you too\)\n1 reply\n/);
  messages.push(message('m4', 'Grace', 'Live'));
  drawn.live.tell('message.created');
  await drawn.shows(/Grace, 1 min ago:\nLive/);
  messages[0] = message('m1', 'Grace', '', { deleted_at: at(1) });
  drawn.live.tell('message.deleted');
  await drawn.shows(/Grace, 1 min ago:\nMessage deleted/);
});

t.test('a thread has a line of its own, and escape goes back', async (t) => {
  const { calls, client } = installation({
    sessions: [room()],
    messages: [message('m1', 'Grace', 'First'), message('m2', 'Ben', 'Second', { reply_count: 1 })],
    replies: [message('m3', 'Ada', 'Within')],
  });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('# Launch');
  drawn.press('enter');
  await drawn.becomes(() => drawn.offered.includes('ctrl-t threads'), 'offered');
  drawn.press('ctrl-t');
  await drawn.shows(/> Ben +Second +1 reply/);
  drawn.press('enter');
  await drawn.shows(/Ben, 1 min ago:\nSecond\n1 reply\n\nAda, 1 min ago:\nWithin/);
  await drawn.shows("To the thread of 'Second' in Launch");
  drawn.type('Quack');
  drawn.press('enter');
  await drawn.becomes(() => JSON.stringify(calls).includes('Quack'), 'sent');
  t.match(calls.at(-1), { send: { session_id: 'r1', content: 'Quack', thread_id: 'm2' } });
  drawn.press('esc', 'esc');
  await drawn.shows(/> Ben +Second/);
  drawn.press('esc');
  await drawn.shows('To Launch');
  drawn.press('esc', 'esc');
  await drawn.shows('1 conversations');
});

t.test('tab completes a mention, in any case, and shows the names that are possible', async (t) => {
  const members = ['grace', 'greg', 'ben'].map((username) => ({ username }));
  const drawn = drawPanel(t, panel, installation({ sessions: [room()], members }));
  await drawn.shows('# Launch');
  drawn.press('enter');
  await drawn.shows('To Launch');
  drawn.type('Hi @G');
  drawn.press('tab');
  await drawn.shows('@grace @greg');
  await drawn.shows('> Hi @gr_');
  drawn.type('a');
  drawn.press('tab');
  await drawn.shows('> Hi @grace _');
  await drawn.shows('To Launch');
  drawn.type('@ROO');
  drawn.press('tab');
  await drawn.shows('> Hi @grace @room _');
  drawn.type('@x');
  drawn.press('tab');
  await drawn.shows('Nobody here is called @x');
});

t.test('an owner adds a mentioned person who is not in the room', async (t) => {
  const { calls, client } = installation({ sessions: [room()], not_in_room: [{ member_id: 7, username: 'ben' }] });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('# Launch');
  drawn.press('enter');
  await drawn.shows('To Launch');
  drawn.type('@ben');
  drawn.press('enter');
  await drawn.becomes(() => drawn.notices.length > 0, 'told');
  t.match(drawn.notices, [/^Not in this room: ben; ctrl-a adds them/]);
  await drawn.becomes(() => drawn.offered.includes('ctrl-a add to room'), 'offered');
  drawn.press('ctrl-a');
  await drawn.becomes(() => drawn.notices.length > 1, 'added');
  t.match(calls.at(-1), { add: { session_id: 'r1', member_ids: [7] } });
  await drawn.becomes(() => !drawn.offered.includes('ctrl-a add to room'), 'no longer offered');
});

t.test("in a room only one's own tasks are stopped and approved", async (t) => {
  const active_task_ids = ['t1', 't2'];
  const sessions = [room({ active_task_id: 't1', active_task_ids })];
  const events = [{ type: 'approval.required', data: { approval: { ...approval, input: null } } }];
  const others = drawPanel(t, panel, installation({ sessions, events }));
  await others.shows('# Launch');
  others.press('enter');
  await others.shows('To Launch');
  t.notOk(others.offered.includes('ctrl-x stop'));
  const { calls, client } = installation({
    sessions,
    events,
    tasks: [
      { id: 't2', session_id: 'r1' },
      { id: 't9', session_id: 's1' },
    ],
  });
  const mine = drawPanel(t, panel, { client });
  await mine.shows('# Launch');
  mine.press('enter');
  await mine.shows('Approval needed (ctrl-y approves, ctrl-n denies): shell {"command":"ls"}');
  await mine.shows("It uses your rights, and everyone in the room 'Launch' (r1) will see the result.");
  mine.press('ctrl-x');
  await mine.becomes(() => JSON.stringify(calls).includes('cancel'), 'stopped');
  t.match(calls.at(-1), { cancel: { task_id: 't2' } });
});
