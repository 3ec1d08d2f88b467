import t from 'tap';
import type { Authenticator, Caller } from '../../../../kernel/contract/index.js';
import { SessionRecheck } from '../../../../kernel/core/invoke/session-recheck.js';
import { becomes } from '../../../helpers/eventually.js';
import { callerOf } from '../../../helpers/platform.js';
import { keepLog } from '../../../helpers/redis.js';

/** Asks an authenticator that knows only what has ended. */
function start({ open, ended }: { open: Caller[]; ended?: Authenticator['ended'] }) {
  const disconnected: object[] = [];
  const { log, lines } = keepLog();
  const authenticator = () => ended && ({ ended } as Authenticator);
  const recheck = new SessionRecheck({ authenticator, callers: () => open, disconnect: (who) => void disconnected.push(who), log });
  t.teardown(() => recheck.dispose());
  return { recheck, disconnected, lines };
}

const person = (member_id: number, change: Partial<Caller> = {}) => callerOf({ member_id, token_id: `token:${member_id}`, ...change });

t.test('a recheck covers each known caller once, in batches of five hundred', async (t) => {
  const people = Array.from({ length: 1_100 }, (_, n) => person(n + 1));
  const asked: (readonly Caller[])[] = [];
  let underway = 0;
  const { recheck, disconnected } = start({
    open: [...people, ...people, person(0)],
    ended: async (callers) => {
      underway += 1;
      t.equal(underway, 1, 'checks do not overlap');
      await new Promise(setImmediate);
      underway -= 1;
      asked.push(callers);
      return callers.filter(({ member_id }) => member_id % 1_000 === 7);
    },
  });
  recheck.check();
  await becomes(t, () => asked.map(({ length }) => length), [500, 500, 100]);
  await becomes(t, () => disconnected, [
    { member_id: 7, token_id: 'token:7' },
    { member_id: 1_007, token_id: 'token:1007' },
  ]);
});

t.test('a recheck requested during another runs once after it', async (t) => {
  const asked: number[] = [];
  let answer = () => {};
  const { recheck } = start({
    open: [person(1)],
    ended: async ({ length }) => {
      asked.push(length);
      await new Promise<void>((resolve) => (answer = resolve));
      return [];
    },
  });
  recheck.check();
  await becomes(t, () => asked, [1]);
  recheck.check();
  recheck.check();
  answer();
  await becomes(t, () => asked, [1, 1]);
  answer();
  await recheck.dispose();
  t.same(asked, [1, 1]);
});

t.test('nobody is disconnected if the recheck is not possible', async (t) => {
  const absent = start({ open: [person(1)] });
  absent.recheck.check();
  await absent.recheck.dispose();
  const failing = start({ open: [person(1)], ended: async () => Promise.reject(new Error('The database is away')) });
  failing.recheck.check();
  await becomes(t, () => failing.lines.filter((line) => line.includes('Could not recheck')).length, 1);
  t.same([absent.disconnected, failing.disconnected], [[], []]);
});
