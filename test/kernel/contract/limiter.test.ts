import t from 'tap';
import { KeyedLimiter, Limiter, type Release } from '../../../kernel/contract/limiter.js';

/** Limited work that goes on until it is ended. */
function enter(limiter: Limiter, amount: number, signal = new AbortController().signal) {
  const work: { entered: boolean; shrink: Release; end: () => void } = {
    entered: false,
    shrink: () => undefined,
    end: () => undefined,
  };
  const ended = limiter.run(
    (shrink) => {
      Object.assign(work, { entered: true, shrink });
      return new Promise<void>((resolve) => {
        work.end = resolve;
      });
    },
    { amount, signal },
  );
  return Object.assign(work, { ended });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test('work beyond the limit waits and starts in order', async (t) => {
  const limiter = new Limiter(10);
  const [first, second, third] = [enter(limiter, 6), enter(limiter, 5), enter(limiter, 4)];
  await settled();
  t.same([first.entered, second.entered, third.entered], [true, false, false], 'a smaller request does not overtake');
  first.end();
  await first.ended;
  await settled();
  t.same([second.entered, third.entered], [true, true]);
});

t.test('other keys can use a returned part of a share', async (t) => {
  const limiter = new Limiter(10);
  const [first, second] = [enter(limiter, 100), enter(limiter, 5)];
  await settled();
  t.same([first.entered, second.entered], [true, false], 'work that needs more than the limit gets all of it');
  first.shrink(6);
  first.shrink(8);
  await settled();
  t.equal(second.entered, false);
  first.shrink(5);
  await settled();
  t.equal(second.entered, true);
  first.end();
  await first.ended;
  const third = enter(limiter, 6);
  await settled();
  t.equal(third.entered, false, 'a share is returned once');
});

t.test('an aborted waiter is rejected at once, and failed work returns its share', async (t) => {
  const limiter = new Limiter(10);
  const controller = new AbortController();
  const first = enter(limiter, 10);
  const second = enter(limiter, 8, controller.signal);
  const third = enter(limiter, 4);
  await settled();
  first.shrink(5);
  controller.abort(new Error('Enough'));
  await t.rejects(second.ended, { message: 'Enough' });
  await settled();
  t.same([second.entered, third.entered], [false, true]);
  await t.rejects(
    limiter.run(async () => undefined, { signal: controller.signal }),
    { message: 'Enough' },
  );
  const failing = limiter.run(async () => {
    throw new Error('No');
  });
  await t.rejects(failing, { message: 'No' });
  first.end();
  third.end();
  await first.ended;
  await third.ended;
  const last = enter(limiter, 10);
  await settled();
  t.equal(last.entered, true, 'the whole limit is free again');
});

t.test('by default each work counts as one, per key', async (t) => {
  const keyed = new KeyedLimiter<string>(1);
  const order: string[] = [];
  const run = (key: string, name: string) =>
    keyed.run(key, async () => {
      order.push(`${name} starts`);
      await settled();
      order.push(`${name} ends`);
    });
  const all = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1')];
  t.equal(keyed.waiting('a'), 1);
  await Promise.all(all);
  const of = (key: string) => order.filter((line) => line.startsWith(key));
  t.same(of('a'), ['a1 starts', 'a1 ends', 'a2 starts', 'a2 ends']);
  t.ok(order.indexOf('b1 starts') < order.indexOf('a1 ends'), 'another key does not wait');
  t.equal(keyed.waiting('a'), 0);
});

t.test('a limiter reports free places and processes items a few at a time', async (t) => {
  const limiter = new Limiter(2);
  const done: string[] = [];
  await limiter.each(['a', 'b', 'c'], async (item) => {
    t.equal(limiter.free, 0);
    t.equal(limiter.waiting, item === 'c' ? 0 : 1);
    await settled();
    done.push(item);
  });
  t.same([done, limiter.free], [['a', 'b', 'c'], 2]);
  await t.rejects(
    limiter.each([1], async () => {
      throw new Error('No');
    }),
    { message: 'No' },
  );
  t.equal(limiter.free, 2);
});
