import t from 'tap';
import { PullLayers } from '../../../../extensions/nodes/containers/layers.js';

t.test('layers are counted, and repeated progress is not reported', async (t) => {
  const told: object[] = [];
  const layers = new PullLayers((progress) => void told.push(progress), 0);
  t.equal(layers.take({ id: 'latest', status: 'Pulling from library/python' }), true);
  t.same(told, [], 'the tag is not a layer');
  layers.take({ id: 'a', status: 'Already exists' });
  layers.take({ id: 'b', status: 'Pulling fs layer' });
  t.equal(layers.take({ id: 'b', status: 'Downloading', progressDetail: { current: 10, total: 100 } }), true);
  t.equal(layers.take({ id: 'b', status: 'Downloading', progressDetail: { current: 10, total: 100 } }), false);
  t.same(told.at(-1), { layers: 2, layers_done: 1, bytes: 10, total_bytes: 100 });
  layers.take({ id: 'b', status: 'Download complete' });
  t.same(told.at(-1), { layers: 2, layers_done: 1, bytes: 100, total_bytes: 100 });
  layers.take({ id: 'b', status: 'Extracting', progressDetail: { current: 1, total: 100 } });
  layers.take({ id: 'b', status: 'Pull complete' });
  t.same(told.at(-1), { layers: 2, layers_done: 2, bytes: 100, total_bytes: 100 });
});

t.test('the progress reported by an engine is limited and throttled', async (t) => {
  const told: { layers: number; bytes: number }[] = [];
  const layers = new PullLayers((progress) => void told.push(progress), 60_000);
  for (let n = 0; n < 2_000; n += 1)
    layers.take({ id: String(n), status: 'Downloading', progressDetail: { current: -1, total: Number.NaN } });
  t.equal(told.length, 1);
  layers.report();
  t.match(told.at(-1), { layers: 512, bytes: 0, total_bytes: 0 });
});
