import fc from 'fast-check';
import t from 'tap';
import { fairShare } from '../../../../kernel/platform/work/fair-share.js';

const of = (member_id: number, jobs: number) => Array.from({ length: jobs }, () => [member_id]);
const shareOf = (busy: number[][], max_running: number, max_each?: number) => {
  const { room, full } = fairShare(busy, { max_running, max_each });
  return { room, full: full.flat() };
};

t.test('a member gets at most as many places as it leaves free, so one always remains for others', async (t) => {
  t.same(shareOf([], 8), { room: 4, full: [] });
  t.same(shareOf(of(1, 3), 8), { room: 1, full: [] });
  t.same(shareOf(of(1, 4), 8), { room: 2, full: [1] }, 'a single member gets half of the places');
  t.same(shareOf([...of(1, 4), ...of(2, 1)], 8), { room: 1, full: [1] });
  t.same(shareOf([...of(1, 4), ...of(2, 2)], 8), { room: 1, full: [1, 2] });
  t.same(shareOf([...of(1, 4), ...of(2, 2), [3], [4]], 8), { room: 0, full: [1, 2, 3, 4] });
});

t.test('a limit for each key is never exceeded by claims of several', async (t) => {
  t.same(shareOf([], 20, 4), { room: 4, full: [] });
  t.same(shareOf([...of(1, 3), ...of(2, 4)], 20, 4), { room: 1, full: [2] });
  t.same(shareOf(of(1, 4), 20, 4), { room: 4, full: [1] });
  t.same(shareOf([...of(1, 4), ...of(2, 4)], 9, 4), { room: 1, full: [1, 2] }, 'the total limit is not exceeded either');
  t.same(shareOf(of(1, 1), 1, 4), { room: 0, full: [] });
});

t.test('jobs claimed together are no more than jobs claimed one by one', async (t) => {
  const numbers = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 5 }), (working, max_running, member_id) => {
      const busy = working.map((id) => [id]);
      const { room, full } = shareOf(busy, max_running);
      const started = Array.from({ length: full.includes(member_id) ? 0 : room }, () => [member_id]);
      for (const at of started.keys()) t.notOk(shareOf([...busy, ...started.slice(0, at)], max_running).full.includes(member_id));
      t.equal(room === 0, working.length >= max_running);
    }),
  );
});
