import t from 'tap';
import { labelsOf } from '../../../../extensions/nodes/containers/labels.js';
import { Ear } from '../../../../extensions/nodes/monitor/ear.js';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { pullImages } from './world.js';

t.test(
  'what happens while nobody listens is heard later, each event once and in order',
  { skip: skipWithout('docker', 'registry') },
  async (t) => {
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
    const ear = new Ear({ docker: engine.docker, platform: 'ours', pauses: [2_000, 2_000], hear, again: () => counts.push(0) });
    t.teardown(() => ear.close());

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

    ear.lost();
    await theirs.start();
    await ours.start();
    await ours.kill();
    t.strictSame(heard, [], 'nobody listens');
    await becomes(t, () => heard, ['start', 'die']);
    t.equal(counts.length, 1);

    await ours.start();
    await ours.remove({ force: true });
    await becomes(t, () => heard, ['start', 'die', 'start', 'die', 'destroy']);

    ear.close();
    await theirs.remove({ force: true });
    t.equal(counts.length, 1);
  },
);
