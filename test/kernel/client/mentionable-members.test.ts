import t from 'tap';
import { MentionableMembers } from '../../../kernel/client/mentionable-members.js';

t.test('members are read once a minute, after a failure, and after a change', async (t) => {
  let now = 0;
  let reads = 0;
  let fault: Error | undefined = new Error('away');
  const read = async () => {
    reads += 1;
    if (fault) throw fault;
    return [{ username: `grace${reads}` }];
  };
  const members = new MentionableMembers(read, () => now);
  await t.rejects(members.list(), { message: 'away' });
  fault = undefined;
  t.same(await members.list(), [{ username: 'grace2' }]);
  now = 60_000;
  t.same(await members.list(), [{ username: 'grace2' }]);
  now = 60_001;
  t.same(await members.list(), [{ username: 'grace3' }]);
  members.forget();
  t.same(await members.list(), [{ username: 'grace4' }]);
});
