import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ProgressThrottle } from '../../../../kernel/core/invoke/progress-throttle.js';
import { becomes } from '../../../helpers/eventually.js';

const step = (done: number) => ({ doing: 'fetching', done, total: 1_000 });

t.test('reports are passed on at most ten times a second, and the latest always is', async (t) => {
  const told: number[] = [];
  const steps = new ProgressThrottle(({ done }) => void told.push(done));
  const begun = performance.now();
  for (let done = 0; done < 1_000; done += 1) steps.report(step(done));
  t.same(told, [0], 'the first report is passed on at once');
  await becomes(t, () => told, [0, 999]);
  t.ok(performance.now() - begun >= 90);
  steps.report(step(1_000));
  await becomes(t, () => told, [0, 999, 1_000]);
});

t.test('nothing is reported after the end of a call', async (t) => {
  const told: number[] = [];
  const steps = new ProgressThrottle(({ done }) => void told.push(done));
  steps.report(step(1));
  steps.report(step(2));
  steps.end();
  steps.report(step(3));
  await sleep(150);
  t.same(told, [1]);
});
