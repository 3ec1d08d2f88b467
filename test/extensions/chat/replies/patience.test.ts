import t from 'tap';
import { Patience } from '../../../../extensions/chat/replies/patience.js';

function pending(): { next: Promise<string>; come: (step: string) => void; fail: (fault: Error) => void } {
  let [come, fail] = [(_step: string) => {}, (_fault: Error) => {}];
  const next = new Promise<string>((resolve, reject) => {
    [come, fail] = [resolve, reject];
  });
  return { next, come, fail };
}

t.test('a reader who waits long for one step leaves one handler at it, and gets it at last', async (t) => {
  const patience = new Patience<string>();
  t.teardown(() => patience.end());
  const { next, come } = pending();
  const handlers = t.capture(next, 'then', next.then.bind(next));
  for (let turn = 0; turn < 20; turn += 1) t.equal(await patience.wait(next, 1), 'idle');
  t.equal(handlers().length, 1);
  const step = patience.wait(next, 60_000);
  come('first');
  t.equal(await step, 'first');
  t.equal(await patience.wait(Promise.resolve('second'), 60_000), 'second');
});

t.test('what comes, or fails, between two waits is not lost', async (t) => {
  const patience = new Patience<string>();
  t.teardown(() => patience.end());
  const one = pending();
  t.equal(await patience.wait(one.next, 1), 'idle');
  one.come('one');
  await new Promise(setImmediate);
  t.equal(await patience.wait(one.next, 60_000), 'one');
  const two = pending();
  t.equal(await patience.wait(two.next, 1), 'idle');
  two.fail(new Error('two'));
  await new Promise(setImmediate);
  await t.rejects(patience.wait(two.next, 60_000), { message: 'two' });
  await t.rejects(patience.wait(Promise.reject(new Error('three')), 60_000), { message: 'three' });
  t.equal(await patience.wait(Promise.resolve('four'), 60_000), 'four');
});

t.test('a step that is followed may fail before it is waited for', async (t) => {
  const patience = new Patience<string>();
  t.teardown(() => patience.end());
  const { next, fail } = pending();
  patience.follow(next);
  fail(new Error('lost'));
  await new Promise(setImmediate);
  await t.rejects(patience.wait(next, 60_000), { message: 'lost' });
});
