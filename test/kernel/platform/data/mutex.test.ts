import t from 'tap';
import { Mutex } from '../../../../kernel/platform/data/mutex.js';

const forever = () => new Promise<void>(() => undefined);

t.test('callers run one at a time, in order', async (t) => {
  const mutex = new Mutex({ timeout_ms: 1_000, max: 10, what: 'it' });
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${name} ends`);
  };
  await Promise.all([mutex.run(work('a')), mutex.run(work('b')), mutex.run(work('c'))]);
  t.strictSame(seen, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  t.ok(mutex.idle);
});

t.test('a failure passes the turn on', async (t) => {
  const mutex = new Mutex({ timeout_ms: 1_000, max: 10, what: 'it' });
  const failing = mutex.run(() => Promise.reject(new Error('no')));
  const next = mutex.run(() => Promise.resolve('next'));
  await t.rejects(failing, { message: 'no' });
  t.equal(await next, 'next');
});

t.test('a caller that waits too long fails, and its turn is not lost', async (t) => {
  const mutex = new Mutex({ timeout_ms: 20, max: 10, what: 'the pen' });
  const gate = new Promise<string>((resolve) => setTimeout(resolve, 60, 'first'));
  const first = mutex.run(() => gate);
  await t.rejects(mutex.run(forever), {
    code: 'database_busy',
    status: 503,
    retry_after: 1,
    message: /Timed out after 20 ms waiting for the pen/,
  });
  const patient = mutex.run(() => Promise.resolve('patient'), 5_000);
  t.strictSame(await Promise.all([first, patient]), ['first', 'patient']);
});

t.test('the number of waiting callers is limited', async (t) => {
  const mutex = new Mutex({ timeout_ms: 20, max: 2, what: 'the pen' });
  void mutex.run(forever);
  const waiting = [mutex.run(forever), mutex.run(forever)];
  await t.rejects(mutex.run(forever), { code: 'database_busy', message: /More than 2 callers wait for the pen/ });
  for (const one of waiting) await t.rejects(one, { code: 'database_busy' });
});

t.test('work that a person waits for runs first, then the overtaken caller', async (t) => {
  let isAwaited = false;
  const mutex = new Mutex({ timeout_ms: 5_000, max: 10, what: 'it', isAwaited: () => isAwaited });
  const seen: string[] = [];
  const ask = (name: string) => {
    isAwaited = name.startsWith('request');
    return mutex.run(async () => void seen.push(name));
  };
  const held = mutex.run(() => new Promise<void>((resolve) => setTimeout(resolve, 20)));
  const asked = ['work 1', 'work 2', 'request 1', 'request 2', 'request 3', 'work 3', 'request 4'];
  await Promise.all([held, ...asked.map(ask)]);
  t.same(seen, ['request 1', 'work 1', 'request 2', 'work 2', 'request 3', 'request 4', 'work 3']);
});
