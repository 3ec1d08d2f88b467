import t from 'tap';
import { LeaseJudge } from '../../../kernel/contract/index.js';

/** Returns a judge's verdicts on answers that come at these intervals, in ms. */
function answers(...pauses: number[]): boolean[] {
  let now = 1_000;
  const judge = new LeaseJudge(() => now);
  return pauses.map((pause) => {
    now += pause;
    return judge.answered();
  });
}

t.test('leases are judged only after some time of successful queries', async (t) => {
  t.same(answers(0, 5_000, 5_000, 5_000), [false, false, true, true]);
  t.same(answers(0, 250, 250, 7_500), [false, false, false, true], 'the number of queries does not matter');
});

t.test('after a time without answers live owners get time to renew their leases', async (t) => {
  t.same(answers(0, 9_000, 20_000, 5_000, 5_000), [false, true, false, false, true]);
});

t.test('a single failed read does not delay the judgement of leases', async (t) => {
  t.same(answers(0, 9_000, 10_000), [false, true, true]);
});
