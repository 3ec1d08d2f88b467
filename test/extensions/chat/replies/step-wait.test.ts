import t from 'tap';
import { StepWait } from '../../../../extensions/chat/replies/step-wait.js';

function pending(): { next: Promise<string>; come: (step: string) => void; fail: (fault: Error) => void } {
  let [come, fail] = [(_step: string) => {}, (_fault: Error) => {}];
  const next = new Promise<string>((resolve, reject) => {
    [come, fail] = [resolve, reject];
  });
  return { next, come, fail };
}

t.test('a reader waiting long for a step keeps one handler attached and then gets the step', async (t) => {
  const stepWait = new StepWait<string>();
  t.teardown(() => stepWait.end());
  const { next, come } = pending();
  const handlers = t.capture(next, 'then', next.then.bind(next));
  for (let turn = 0; turn < 20; turn += 1) t.equal(await stepWait.wait(next, 1), 'idle');
  t.equal(handlers().length, 1);
  const step = stepWait.wait(next, 60_000);
  come('first');
  t.equal(await step, 'first');
  t.equal(await stepWait.wait(Promise.resolve('second'), 60_000), 'second');
});

t.test('a step or failure between two waits is not lost', async (t) => {
  const stepWait = new StepWait<string>();
  t.teardown(() => stepWait.end());
  const one = pending();
  t.equal(await stepWait.wait(one.next, 1), 'idle');
  one.come('one');
  await new Promise(setImmediate);
  t.equal(await stepWait.wait(one.next, 60_000), 'one');
  const two = pending();
  t.equal(await stepWait.wait(two.next, 1), 'idle');
  two.fail(new Error('two'));
  await new Promise(setImmediate);
  await t.rejects(stepWait.wait(two.next, 60_000), { message: 'two' });
  await t.rejects(stepWait.wait(Promise.reject(new Error('three')), 60_000), { message: 'three' });
  t.equal(await stepWait.wait(Promise.resolve('four'), 60_000), 'four');
});

t.test('a followed step may fail before it is awaited', async (t) => {
  const stepWait = new StepWait<string>();
  t.teardown(() => stepWait.end());
  const { next, fail } = pending();
  stepWait.follow(next);
  fail(new Error('lost'));
  await new Promise(setImmediate);
  await t.rejects(stepWait.wait(next, 60_000), { message: 'lost' });
});
