import t from 'tap';
import { promptsOf, tokensOf } from '../../../extensions/agents/context.js';
import type { Message } from '../../../extensions/chat/contract.js';
import type { VirtualMember } from '../../../extensions/members/contract.js';

const employee: VirtualMember = {
  id: 2,
  username: 'vic',
  nickname: 'Vic',
  role: 'member',
  is_virtual: true,
  remote_node_id: null,
  created_at: '2030-01-01T00:00:00.000Z',
  name: 'Vic',
  post: '',
  mode: 'assistant',
  status: 'idle',
  skills: [],
};

const message = (role: Message['role'], content: string): Message => ({
  id: '',
  session_id: '',
  role,
  sender_id: 1,
  sender_name: '',
  content,
  images: [],
  reply_to: null,
  task_id: null,
  status: 'completed',
  error: null,
  usage: null,
  tool_calls: [],
  created_at: '',
  updated_at: '',
});

const asked = (history: Message[]) => promptsOf(employee, history, '2030-01-02T03:04:05.000Z').slice(1);

t.test('the conversation follows the instructions, without empty replies', async (t) => {
  const [system] = promptsOf(employee, [message('user', 'Hi')], '2030-01-02T03:04:05.000Z');
  t.match(system, { role: 'system', content: /^You are Vic.*Today is 2030-01-02\.$/ });
  t.notMatch(system?.content, /post/);
  t.same(
    asked([message('user', 'Hi'), message('assistant', ''), message('user', 'Hello?'), message('assistant', 'Hm'), message('user', 'So?')]),
    [
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: 'Hm' },
      { role: 'user', content: 'So?' },
    ],
  );
});

t.test('of a long conversation the latest part is kept, and never begins with a reply', async (t) => {
  const history = Array.from({ length: 50 }, (_, n) => message(n % 2 ? 'assistant' : 'user', `${n} ${'x'.repeat(3_000)}`));
  const prompts = asked([...history, message('user', 'Last')]);
  t.ok(prompts.length > 5 && prompts.length < 20, `${prompts.length} are kept`);
  t.equal(prompts[0]?.role, 'user');
  t.same(prompts.at(-1), { role: 'user', content: 'Last' });
});

t.test('the message to answer is there, however long', async (t) => {
  t.same(
    asked([message('user', 'Hi'), message('user', '漢'.repeat(32_000))]).map(({ content }) => content.length),
    [32_000],
  );
});

t.test('tokens are counted high rather than low', async (t) => {
  t.equal(tokensOf(''), 4);
  t.equal(tokensOf('four'), 5);
  t.equal(tokensOf('漢字'), 6);
});
