import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { Follower } from '../../../../kernel/core/plugins/follower.js';
import { silentLog } from '../../../helpers/databases.js';

const minute_ms = 60_000;

t.test('a change that an instance could not follow is retried with back-off', async (t) => {
  let now = 0;
  let broken = true;
  const tried: number[] = [];
  const installer = {
    differing: async () => ['guest'],
    converge: async () => {
      tried.push(now / 1_000);
      if (broken) throw new Error('The machine is too busy');
    },
  };
  const bus = { subscribe: async () => async () => undefined } as never;
  const clock = { now: () => now };
  const follower = new Follower({
    installer,
    bus,
    instance: 'here',
    clock,
    clustered: true,
    onLagChanged: () => undefined,
    log: silentLog,
  });
  const lookUntil = async (end: number) => {
    for (; now < end; now += 5_000) {
      follower.poll();
      await turn();
    }
  };
  await lookUntil(20 * minute_ms);
  t.same(tried.slice(0, 7), [0, 15, 45, 105, 225, 465, 765]);
  t.equal(follower.lagOf('guest'), 'The machine is too busy');
  broken = false;
  await lookUntil(30 * minute_ms);
  t.equal(follower.lagOf('guest'), undefined);
});
