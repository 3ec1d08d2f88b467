import t from 'tap';
import { Disposables } from '../../../../kernel/core/host/disposables.js';

t.test('acquired things are released last in first out, once, even if some fail or hang', async (t) => {
  const owned = new Disposables(20);
  const released: string[] = [];
  owned.own({ dispose: () => void released.push('first') });
  owned.own({ dispose: () => Promise.reject(new Error('refused')) });
  owned.own({ dispose: () => new Promise(() => {}) });
  owned.own({ dispose: () => void released.push('last') });
  const faults = (await owned.dispose()).map((fault) => (fault as Error).message);
  t.same(
    [released, faults],
    [
      ['last', 'first'],
      ['Something was not released within 0.02 s', 'refused'],
    ],
  );
  t.same(await owned.dispose(), []);
  t.throws(() => owned.own({ dispose: () => {} }), { message: 'Something was acquired after its owner had been released' });
});
