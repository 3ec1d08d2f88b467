import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { endsWithin, untilAborted, within } from '../../../kernel/contract/within.js';

const never = new Promise<string>(() => undefined);

t.test('the result of work in time is returned, otherwise the replacement', async (t) => {
  t.equal(await within(1_000, Promise.resolve('done'), () => 'late'), 'done');
  t.equal(await within(5, never, () => 'late'), 'late');
  const refuse = () => {
    throw new Error('Too late');
  };
  await t.rejects(within(5, never, refuse), { message: 'Too late' });
  await t.rejects(within(1_000, Promise.reject(new Error('No')), refuse), { message: 'No' });
  t.same([await endsWithin(1_000, Promise.resolve(1)), await endsWithin(5, never)], [true, false]);
  await t.rejects(endsWithin(1_000, Promise.reject(new Error('No'))), { message: 'No' });
});

t.test('waiting for an abort fails with its reason, whatever the work does', async (t) => {
  const leaving = new AbortController();
  const { signal } = leaving;
  t.equal(await untilAborted(Promise.resolve('done'), signal), 'done');
  await t.rejects(untilAborted(Promise.reject(new Error('No')), signal), { message: 'No' });
  const late = sleep(20).then(() => Promise.reject(new Error('Nobody hears this')));
  const waiting = untilAborted(late, signal);
  leaving.abort(new Error('Enough'));
  await t.rejects(waiting, { message: 'Enough' });
  await t.rejects(untilAborted(Promise.resolve('done'), signal), { message: 'Enough' }, 'a signal aborted before rejects too');
  await sleep(30);
});
