import t from 'tap';
import panel from '../../../extensions/chat/panel.js';
import { drawPanel } from '../drawn.js';
import { approval, at, installation, message, room, session } from './chat-world.js';

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
