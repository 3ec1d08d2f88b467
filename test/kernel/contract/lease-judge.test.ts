import t from 'tap';
import { LeaseJudge } from '../../../kernel/contract/index.js';

function judged() {
  let now = 1_000;
  const judge = new LeaseJudge(() => now);
  const after = (ms: number) => {
    now += ms;
    return judge.lapsed(async () => ['one']);
  };
  const failed = (ms: number) => {
    now += ms;
    return judge.lapsed(() => Promise.reject(new Error('away')));
  };
  return { after, failed };
}

t.test('who has just begun to ask judges nobody; who has asked for a while does', async (t) => {
  const { after } = judged();
  t.same(await after(0), []);
  t.same(await after(5_000), []);
  t.same(await after(5_000), ['one']);
  t.same(await after(5_000), ['one']);
});

t.test('after a time without answers the living have time to renew their leases', async (t) => {
  const { after, failed } = judged();
  await after(0);
  t.same(await after(9_000), ['one']);
  for (let n = 0; n < 4; n += 1) await t.rejects(failed(5_000), /away/);
  t.same(await after(5_000), []);
  t.same(await after(5_000), []);
  t.same(await after(5_000), ['one']);
});

t.test('an answer that took long is a time without answers', async (t) => {
  const { after } = judged();
  await after(0);
  await after(9_000);
  t.same(await after(20_000), []);
});

t.test('an answer that fails once costs nothing', async (t) => {
  const { after, failed } = judged();
  await after(0);
  await after(9_000);
  await t.rejects(failed(5_000), /away/);
  t.same(await after(5_000), ['one']);
});
