import t from 'tap';
import { accountOf } from '../../../../extensions/nodes/work/folders.js';

t.test('a room has a user id and a folder of its own, apart from those of members', async (t) => {
  const member = accountOf({ member_id: 5, employee_id: 2 });
  const room = accountOf({ member_id: 5, room: 5, employee_id: 2 });
  t.match(member, { uid: 100_005, home: /\/m5\/e2$/ });
  t.match(room, { uid: 1_000_000_005, user: '1000000005:1000000005', home: /\/r5\/e2$/ });
});
