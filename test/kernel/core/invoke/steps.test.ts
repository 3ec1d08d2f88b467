import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Steps } from '../../../../kernel/core/invoke/steps.js';
import { becomes } from '../../../helpers/eventually.js';

const step = (done: number) => ({ doing: 'fetching', done, total: 1_000 });

t.test('however often it is told, it is passed on ten times a second, and the latest in any case', async (t) => {
  const told: number[] = [];
  const steps = new Steps(({ done }) => void told.push(done));
  const begun = performance.now();
  for (let done = 0; done < 1_000; done += 1) steps.take(step(done));
  t.same(told, [0], 'the first at once');
  await becomes(t, () => told, [0, 999]);
  t.ok(performance.now() - begun >= 90);
  steps.take(step(1_000));
  await becomes(t, () => told, [0, 999, 1_000]);
});

t.test('nothing is told after the end', async (t) => {
  const told: number[] = [];
  const steps = new Steps(({ done }) => void told.push(done));
  steps.take(step(1));
  steps.take(step(2));
  steps.end();
  steps.take(step(3));
  await sleep(150);
  t.same(told, [1]);
});
