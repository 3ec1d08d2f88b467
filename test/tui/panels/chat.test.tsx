import t from 'tap';
import panel from '../../../extensions/chat/panel.js';
import { drawPanel } from '../drawn.js';
import { approval, installation, message, session } from './chat-world.js';

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
  t.same(drawn.offered, ['enter send', 'ctrl-f attach', 'ctrl-t threads', 'esc commands', 'tab next view', 'ctrl-c quit']);
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
  t.same(drawn.offered.slice(0, 5), ['enter send', 'ctrl-y approve', 'ctrl-n deny', 'ctrl-x stop', 'ctrl-f attach']);
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
