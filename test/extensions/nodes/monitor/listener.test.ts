import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import t from 'tap';
import { labelsOf } from '../../../../extensions/nodes/containers/labels.js';
import { EngineListener } from '../../../../extensions/nodes/monitor/listener.js';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { pullImages } from './world.js';

t.test('missed events are delivered later, each once and in order', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const engine = await startDocker(t);
  await pullImages(engine);
  const make = (platform: string) => {
    const options = { Image: images.busybox, Cmd: ['sleep', '1000'], Labels: labelsOf(platform, { id: 7 }) };
    return engine.docker.createContainer(options);
  };
  const [ours, theirs] = [await make('ours'), await make('theirs')];
  const heard: string[] = [];
  const counts: number[] = [];
  const hear = async ({ action, node_id, container_id }: { action: string; node_id: number; container_id: string }) => {
    t.strictSame([node_id, container_id], [7, ours.id]);
    heard.push(action);
  };
  const listener = new EngineListener({
    docker: engine.docker,
    platform: 'ours',
    backoffs: [10_000, 10_000],
    handle: hear,
    onRestored: () => counts.push(0),
  });
  t.teardown(() => listener.close());

  // Whether it listens already nobody can tell but by what it hears.
  await until(
    async () => {
      await ours.start();
      await ours.kill();
      return heard.length;
    },
    (count) => count > 0,
  );
  await until(
    () => heard.at(-1),
    (action) => action === 'die',
  );
  heard.length = 0;

  listener.drop();
  await theirs.start();
  await ours.start();
  await ours.kill();
  t.strictSame(heard, [], 'no listener is connected');
  await becomes(t, () => heard, ['start', 'die']);
  t.equal(counts.length, 1);

  await ours.start();
  await ours.remove({ force: true });
  await becomes(t, () => heard, ['start', 'die', 'start', 'die', 'destroy']);

  listener.close();
  await theirs.remove({ force: true });
  t.equal(counts.length, 1);
});

t.test('the listener keeps up with an engine whose clock is set back', async (t) => {
  const stream = new PassThrough();
  const info = async () => ({ SystemTime: '2026-01-01T00:00:00Z' });
  const docker = { info, getEvents: async () => stream } as unknown as Docker;
  const heard: string[] = [];
  const hear = async ({ action }: { action: string }) => void heard.push(action);
  const listener = new EngineListener({ docker, platform: 'ours', backoffs: [2_000, 2_000], handle: hear, onRestored: () => undefined });
  t.teardown(() => listener.close());
  const tell = (Action: string, at: string) => {
    const event = { Action, Actor: { ID: 'c', Attributes: { ...labelsOf('ours', { id: 7 }) } }, timeNano: 0 };
    stream.write(`${JSON.stringify(event).replace('"timeNano":0', `"timeNano":${Date.parse(at)}000000`)}\n`);
  };
  tell('start', '2026-01-01T00:00:10Z');
  tell('die', '2025-12-31T23:00:00Z');
  await becomes(t, () => heard, ['start', 'die']);
});
