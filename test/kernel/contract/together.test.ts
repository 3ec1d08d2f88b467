import { AsyncLocalStorage } from 'node:async_hooks';
import t from 'tap';
import { Together } from '../../../kernel/contract/index.js';
import { gate } from '../../extensions/chat/scribe.js';

t.test('items of one turn of the event loop run together, and later items in the next run', async (t) => {
  const { open, passed } = gate();
  const done: (readonly number[])[] = [];
  const together = new Together<number, number>(
    async (take) => {
      const items = take();
      done.push(items);
      await passed;
      return items.map((item) => item * 10);
    },
    { max: 3 },
  );
  const first = [1, 2].map((item) => together.do(item));
  await new Promise(setImmediate);
  t.same(done, [[1, 2]]);
  const rest = [3, 4, 5, 6].map((item) => together.do(item));
  open();
  t.same(await Promise.all([...first, ...rest]), [10, 20, 30, 40, 50, 60]);
  t.same(done, [[1, 2], [3, 4, 5], [6]], 'at most the maximum runs at once');
  t.equal(await together.do(7), 70, 'the next run starts');
});

t.test('if several items fail together, each runs alone, so that only the faulty one fails', async (t) => {
  const together = new Together<number, number>(
    async (take) => {
      const items = take();
      if (items.includes(13)) throw new Error('not 13');
      return [...items];
    },
    { max: 10 },
  );
  const results = await Promise.allSettled([1, 12, 13, 14].map((item) => together.do(item)));
  t.match(results, [{ value: 1 }, { value: 12 }, { status: 'rejected', reason: { message: 'not 13' } }, { value: 14 }]);
});

t.test("work runs outside of the callers' async context", async (t) => {
  const storage = new AsyncLocalStorage<string>();
  const together = new Together<number, string | undefined>(async (take) => take().map(() => storage.getStore()), { max: 10 });
  t.equal(await storage.run('a transaction', () => together.do(1)), undefined);
});

t.test('items that arrive before the work starts join it', async (t) => {
  const { open, passed } = gate();
  const done: (readonly number[])[] = [];
  const together = new Together<number, number>(
    async (take) => {
      await passed;
      done.push(take());
      return take();
    },
    { max: 3 },
  );
  const first = together.do(1);
  await new Promise(setImmediate);
  const rest = [2, 3, 4].map((item) => together.do(item));
  open();
  t.same(await Promise.all([first, ...rest]), [1, 2, 3, 4]);
  t.same(done, [[1, 2, 3], [4]]);
});

t.test('a failure before the work starts fails all waiting items at once', async (t) => {
  let is_away = true;
  let tries = 0;
  const together = new Together<number, number>(
    async (take) => {
      tries += 1;
      await new Promise(setImmediate);
      if (is_away) throw new Error('no turn');
      return take();
    },
    { max: 2 },
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => together.do(item)));
  t.match(results, Array(3).fill({ status: 'rejected', reason: { message: 'no turn' } }));
  t.equal(tries, 2, 'two items share a run, the third has its own');
  is_away = false;
  t.equal(await together.do(4), 4);
});

t.test('items whose wait never gets a turn go to the next run', async (t) => {
  const { open, passed } = gate();
  let tries = 0;
  const together = new Together<number, number>(
    async (take) => {
      tries += 1;
      if (tries > 1) return take();
      await passed;
      throw new Error('no turn');
    },
    { max: 2 },
  );
  const first = together.do(1).catch((fault: Error) => fault.message);
  await new Promise(setImmediate);
  const second = together.do(2);
  open();
  t.same(await Promise.all([first, second]), ['no turn', 2]);
});

t.test('work that takes no items fails', async (t) => {
  const together = new Together<number, number>(async () => [], { max: 2 });
  await t.rejects(together.do(1), { message: /without taking/ });
});
