import t from 'tap';
import type { Api } from '../../../cli/conversation/api.js';
import { Conversation } from '../../../cli/conversation/conversation.js';

const contacts = [
  { member_id: 7, username: 'ada', nickname: 'Ada', is_virtual: true },
  { member_id: 8, username: 'bob', nickname: 'Bob', is_virtual: true },
];

/** Sessions with the partner that their id names. */
function world() {
  const sent: unknown[] = [];
  const answers: Record<string, (input: Record<string, string>) => unknown> = {
    'contacts.list': () => contacts,
    'members.list_virtual': () => contacts.map(({ member_id: id, ...employee }) => ({ id, ...employee })),
    'sessions.get': ({ session_id = '' }) => {
      const [target_type, target_id] = session_id.split(' ');
      return { id: session_id, title: 'Plans', target_type, target_id };
    },
    'chat.send': (input) => {
      sent.push(input);
      return { message_id: 'm', session_id: 's', task_id: null };
    },
  };
  const api = { call: async (id: string, input: Record<string, string>) => answers[id]?.(input) };
  return { sent, conversation: new Conversation(api as unknown as Api) };
}

t.test('a new conversation has the partner of the one that was open', async (t) => {
  const { sent, conversation } = world();
  const { signal } = new AbortController();
  await conversation.begin('Bob');
  for (const [id, name, target] of [
    ['ai 7', 'Ada', { target_type: 'ai', target_id: 7 }],
    ['ai ', 'the default AI employee', {}],
  ] as const) {
    await conversation.open(id);
    await conversation.begin();
    t.equal(conversation.name, `a new conversation with ${name}`);
    await conversation.send('Hello', signal);
    t.strictSame(sent.pop(), { content: 'Hello', ...target });
  }
  await conversation.begin('bob');
  await conversation.open('member 3');
  await conversation.begin();
  t.equal(conversation.name, 'a new conversation with Bob', 'a person is not an AI employee');
});

t.test('a partner is found by id, and an unknown id lists the partners', async (t) => {
  const { sent, conversation } = world();
  await conversation.begin('8');
  t.equal(conversation.name, 'a new conversation with Bob');
  await conversation.send('Hello', new AbortController().signal);
  t.match(sent, [{ target_type: 'ai', target_id: 8 }]);
  await t.rejects(conversation.begin('9'), { message: "There is no AI employee '9'; there are Ada (7), Bob (8)" });
});
