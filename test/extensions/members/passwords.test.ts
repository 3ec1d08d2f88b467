import t from 'tap';
import { Passwords } from '../../../extensions/members/passwords.js';
import { isFailure } from '../../../kernel/contract/index.js';

t.test('a password is right for its own hash alone', async (t) => {
  const passwords = new Passwords();
  const hash = await passwords.hash('correct horse');
  t.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  t.equal(await passwords.verify(hash, 'correct horse', '192.0.2.1'), true);
  t.equal(await passwords.verify(hash, 'Correct horse', '192.0.2.1'), false);
  t.equal(await passwords.verify(undefined, 'correct horse', '192.0.2.1'), false);
  t.not(await passwords.hash('correct horse'), hash, 'and has a salt of its own');
});

t.test('of a hundred checks at once, those past the queue are refused at once, and all others end', async (t) => {
  const passwords = new Passwords();
  const checks = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => passwords.verify(undefined, 'x', `192.0.2.${n}`)));
  const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as unknown] : []));
  t.equal(refused.length, 34, 'two run and 64 wait');
  for (const failure of refused)
    t.match(isFailure(failure) && { code: failure.code, retry_after: failure.retry_after }, { code: 'rate_limited', retry_after: 1 });
  t.equal(await passwords.verify(undefined, 'x', '192.0.2.1'), false, 'and then there is room again');
});

t.test('one address leaves room in the queue to all others', async (t) => {
  const passwords = new Passwords();
  const check = (address: string) => passwords.verify(undefined, 'x', address);
  const checks = Array.from({ length: 100 }, (_, n) => check(`2001:db8::${n.toString(16)}`));
  const other = check('192.0.2.1');
  const ends = await Promise.allSettled(checks);
  t.equal(ends.filter(({ status }) => status === 'fulfilled').length, 34, 'two run and 32 wait');
  t.equal(await other, false);
});
