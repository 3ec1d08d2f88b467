import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Turns } from '../../../../extensions/nodes/containers/turns.js';

/** Work that ends when it is told to. */
function open() {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => done, end };
}

t.test('so many at once, the others in order, but for those who leave', async (t) => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const leaver = new AbortController();
  const begin = (name: string, signal = new AbortController().signal) => {
    const { work, end } = open();
    const done = turns.run(() => {
      begun.push(name);
      return work();
    }, signal);
    return { end, done };
  };
  const [a, b, c, d, e] = [begin('a'), begin('b'), begin('c', leaver.signal), begin('d'), begin('e')];
  await sleep(0);
  t.same([begun, turns.free], [['a', 'b'], 0]);
  leaver.abort(new Error('left'));
  await t.rejects(c.done, { message: 'left' });
  a.end();
  await a.done;
  await sleep(0);
  t.same(begun, ['a', 'b', 'd'], 'whoever left has no turn');
  for (const each of [b, d, e]) each.end();
  await Promise.all([b.done, d.done, e.done]);
  t.same([begun, turns.free], [['a', 'b', 'd', 'e'], 2]);
  await t.rejects(begin('f', leaver.signal).done, { message: 'left' });
  await t.rejects(
    turns.run(() => Promise.reject(new Error('failed')), new AbortController().signal),
    { message: 'failed' },
  );
  t.equal(turns.free, 2, 'a failure gives its turn back');
});
