import t from 'tap';
import { acts } from './acts.js';
import { actions, idleTime, paces, person, pickAction, pickPace, withoutCounterpart } from './model.js';

/** Even samples between 0 and 1. */
const samples = Array.from({ length: 1_000_000 }, (_, n) => (n + 0.5) / 1_000_000);

t.test('each action is picked as often as its frequency says', async (t) => {
  const picked = new Map<string, number>();
  for (const name of samples.map(pickAction)) picked.set(name, (picked.get(name) ?? 0) + 1);
  const total = Object.values(actions).reduce((sum, { frequency }) => sum + frequency, 0);
  const wrong = Object.entries(actions).filter(
    ([name, { frequency }]) => Math.abs((picked.get(name) ?? 0) / samples.length - frequency / total) > 2e-6,
  );
  t.strictSame(wrong, []);
});

t.test('each action either has a counterpart or a reason why it has none', async (t) => {
  const without = withoutCounterpart().map(({ action }) => action);
  t.strictSame([...Object.keys(acts), ...without].sort(), Object.keys(actions).sort());
  t.ok(withoutCounterpart().every(({ why, percent }) => why !== '' && percent > 0));
});

t.test('the wait between two actions is on average what the model says, times the pace', async (t) => {
  const average = samples.reduce((sum, sample) => sum + idleTime(sample, 1), 0) / samples.length;
  t.equal(Math.round(average), person.avg_idle_ms);
  t.equal(idleTime(0, 1), person.min_idle_ms);
  t.equal(idleTime(0.5, 6), 6 * person.avg_idle_ms);
});

t.test('people have the paces of the model', async (t) => {
  for (const { factor, part } of paces) {
    const count = samples.filter((sample) => pickPace(sample) === factor).length;
    t.ok(Math.abs(count / samples.length - part) < 1e-5, `${factor}`);
  }
});
