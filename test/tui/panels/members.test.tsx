import t from 'tap';
import type { Member } from '../../../extensions/members/contract.js';
import panel from '../../../extensions/members/panel.js';
import { admin, drawPanel, FakeLive, now } from '../drawn.js';

const member = (id: number, username: string, more: Partial<Member> = {}): Member => ({
  id,
  username,
  nickname: username.toUpperCase(),
  role: 'member',
  is_virtual: false,
  active: true,
  remote_node_id: null,
  created_at: new Date(now - 3 * 3_600_000).toISOString(),
  ...more,
});

/** An installation's members, as far as the panel asks. */
function membersOf(items: Member[]) {
  const calls: unknown[] = [];
  const note = (name: string) => async (input: object) => void calls.push({ [name]: input });
  const members = {
    list: async () => ({ items, total: items.length, page: 1, page_size: 200 }),
    seats: async () => ({ used: 2, limit: 5, ai_employees: 1 }),
    create: note('create'),
    update: note('update'),
    delete: note('delete'),
    reset_password: note('reset_password'),
  };
  return { calls, client: { members } };
}

const some = [member(1, 'ada', { role: 'admin' }), member(2, 'grace'), member(3, 'helper', { is_virtual: true })];

t.test('the panel shows members with their presence', async (t) => {
  const live = new FakeLive();
  live.presence.set(1, { status: 'online', last_seen_at: null });
  const drawn = drawPanel(t, panel, { ...membersOf(some), live });
  await drawn.shows('seats: 2 of 5');
  await drawn.shows(/> +1 +ada +ADA +admin +online +3 h ago/);
  t.match(drawn.frame, /3 +helper +HELPER +AI employee +offline/);
  live.presence.set(2, { status: 'dnd', last_seen_at: null });
  live.tell('presence', { member_id: 2 });
  await drawn.shows(/2 +grace +GRACE +member +dnd/);
});

t.test('an administrator adds a member with a hidden password, and removes one', async (t) => {
  const { calls, client } = membersOf(some);
  const drawn = drawPanel(t, panel, { client, me: admin });
  await drawn.shows('grace');
  drawn.press('n');
  await drawn.shows('New member');
  drawn.press('enter');
  drawn.type('edsger');
  drawn.press('enter', 'enter');
  drawn.type('goto-harmful');
  await drawn.shows('*'.repeat(12));
  t.notMatch(drawn.frame, 'goto-harmful');
  drawn.press('enter');
  await drawn.shows('grace');
  t.same(calls.splice(0), [{ create: { username: 'edsger', role: 'member', password: 'goto-harmful' } }]);
  drawn.press('j', 'ctrl-d');
  await drawn.shows('Delete grace');
  drawn.press('y');
  await drawn.becomes(() => calls.length > 0, 'done');
  t.same(calls, [{ delete: { id: 2 } }]);
});

t.test('a failed form keeps its input', async (t) => {
  const { client } = membersOf(some);
  const drawn = drawPanel(t, panel, {
    client: { members: { ...client.members, update: () => Promise.reject(new Error('That name is taken')) } },
  });
  await drawn.shows('ada');
  drawn.press('e');
  await drawn.shows('Rename ada');
  drawn.type('!');
  drawn.press('enter');
  await drawn.becomes(() => drawn.notices.length > 0, 'told');
  t.same(drawn.notices, ['! That name is taken']);
  t.match(drawn.frame, 'ADA!');
});

t.test('members other than administrators change nothing', async (t) => {
  const drawn = drawPanel(t, panel, { ...membersOf(some), me: { ...admin, role: 'member' } });
  await drawn.shows('ada');
  t.same(
    drawn.offered.filter((key) => /^(n|e|p|r|ctrl-d) /.test(key)),
    [],
  );
});
