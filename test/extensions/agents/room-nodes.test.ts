import t from 'tap';
import { mayUseForAll } from '../../../extensions/agents/placement.js';

const room = { session_id: 's', title: '', visibility: 'private' as const, people: [1, 2], plugins: [] };

t.test('a node is used in a room only if everybody there may use it', async (t) => {
  const admins = new Set([1]);
  t.equal(mayUseForAll('all', room, admins), true);
  t.equal(mayUseForAll('admins', room, admins), false);
  t.equal(mayUseForAll('admins', room, new Set([1, 2])), true);
  t.equal(mayUseForAll([1], room, admins), false);
  t.equal(mayUseForAll([2, 1], room, admins), true);
  t.equal(mayUseForAll([2, 1], { ...room, visibility: 'open' }, admins), false, 'everybody may join an open room');
  t.equal(mayUseForAll('all', { ...room, visibility: 'open' }, admins), true);
  t.equal(mayUseForAll('all', { ...room, plugins: [7] }, admins), false, "a plugin's own member has no rights");
});
