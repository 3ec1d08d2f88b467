import t from 'tap';
import { Passwords } from '../../../extensions/members/passwords.js';
import { isFailure } from '../../../kernel/contract/index.js';

const asker = { flow: 'test', cost: 1, trusted: false };

t.test('a password matches only its own hash', async (t) => {
  const passwords = new Passwords();
  const hash = await passwords.hash('correct horse');
  t.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  t.equal(await passwords.verify(hash, 'correct horse', asker), 'right');
  t.equal(await passwords.verify(hash, 'Correct horse', asker), 'wrong');
  t.equal(await passwords.verify(undefined, 'correct horse', asker), 'wrong');
  t.not(await passwords.hash('correct horse'), hash, 'each hash has its own salt');
});

t.test('each network has at most 64 waiting checks, which do not affect others', async (t) => {
  const passwords = new Passwords();
  const checks = Array.from({ length: 70 }, () => passwords.verify(undefined, 'x', asker));
  const other = passwords.verify(undefined, 'x', { ...asker, flow: 'other' });
  const ends = await Promise.allSettled(checks);
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  t.equal(refused.length, 4, 'two checks run and 64 wait');
  for (const failure of refused)
    t.match(isFailure(failure) && { code: failure.code, retry_after: failure.retry_after }, { code: 'rate_limited', retry_after: 5 });
  t.equal(await other, 'wrong');
});
