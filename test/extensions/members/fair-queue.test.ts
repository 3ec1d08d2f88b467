import t from 'tap';
import { FairQueue, type Requester } from '../../../extensions/members/fair-queue.js';

const stranger = (flow: string, cost = 1): Requester => ({ flow, cost, trusted: false });
const owner = (flow: string): Requester => ({ flow, cost: 1, trusted: true });

/** A queue whose work ends when the test says so, and the order in which it began. */
function queueOf(limits: { max_waiting?: number; max_of_flow?: number; max_wait_ms?: number } = {}) {
  const queue = new FairQueue({
    max_running: 1,
    max_waiting: 100,
    max_of_flow: 50,
    max_wait_ms: 60_000,
    rejection: () => new Error('full'),
    ...limits,
  });
  const began: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const add = (asker: Requester, name = asker.flow) => {
    const work = () => {
      began.push(name);
      return new Promise<void>((end) => ends.push(end));
    };
    return queue.run(asker, work).catch(() => void refused.push(name));
  };
  const finish = async () => {
    await new Promise(setImmediate);
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await new Promise(setImmediate);
    }
  };
  return { add, began, refused, finish };
}

t.test('flows take turns, however much one of them requests', async (t) => {
  const { add, began, finish } = queueOf();
  const all = [...Array.from({ length: 6 }, () => add(stranger('loud'))), add(stranger('quiet')), add(stranger('quiet'))];
  await finish();
  await Promise.all(all);
  t.strictSame(began.slice(0, 5), ['loud', 'loud', 'quiet', 'loud', 'quiet']);
  t.equal(began.length, 8);
});

t.test('a flow with costlier turns gets fewer of them', async (t) => {
  const { add, began, finish } = queueOf();
  const all = [add(stranger('first')), ...Array.from({ length: 6 }, () => add(stranger('dear', 10)))];
  all.push(...Array.from({ length: 6 }, () => add(stranger('cheap'))));
  await finish();
  await Promise.all(all);
  t.strictSame(began.slice(1, 7), ['cheap', 'cheap', 'cheap', 'cheap', 'cheap', 'cheap']);
});

t.test('a flow beyond its own limit is rejected, and others are not', async (t) => {
  const { add, began, refused, finish } = queueOf({ max_of_flow: 2 });
  const all = Array.from({ length: 5 }, (_, n) => add(stranger('loud'), `loud ${n}`));
  all.push(add(stranger('quiet')));
  await new Promise(setImmediate);
  t.strictSame(refused, ['loud 3', 'loud 4']);
  await finish();
  await Promise.all(all);
  t.ok(began.includes('quiet'));
});

t.test('a full queue rejects the request whose turn is furthest away', async (t) => {
  const { add, began, refused, finish } = queueOf({ max_waiting: 3 });
  const all = Array.from({ length: 4 }, (_, n) => add(stranger('loud'), `loud ${n}`));
  all.push(add(stranger('quiet')));
  await new Promise(setImmediate);
  t.strictSame(refused, ['loud 3']);
  await finish();
  await Promise.all(all);
  t.ok(began.includes('quiet'));
});

t.test('untrusted requests never displace a trusted one', async (t) => {
  const { add, began, refused, finish } = queueOf({ max_waiting: 2 });
  const all = [add(stranger('a')), add(owner('mia')), add(owner('mia'), 'mia again'), add(stranger('b'))];
  await new Promise(setImmediate);
  t.strictSame(refused, ['b']);
  await finish();
  await Promise.all(all);
  t.strictSame(began, ['a', 'mia', 'mia again']);
});

t.test('a request that waits too long is rejected', async (t) => {
  const { add, refused, finish } = queueOf({ max_wait_ms: 20 });
  const running = add(stranger('a'));
  await add(stranger('b'));
  t.strictSame(refused, ['b']);
  await finish();
  await running;
});

t.test('failing work releases its turn', async (t) => {
  const queue = new FairQueue({ max_running: 1, max_waiting: 9, max_of_flow: 9, max_wait_ms: 60_000, rejection: () => new Error('full') });
  await t.rejects(queue.run(stranger('a'), () => Promise.reject(new Error('no'))));
  t.equal(await queue.run(stranger('a'), () => Promise.resolve('yes')), 'yes');
});
