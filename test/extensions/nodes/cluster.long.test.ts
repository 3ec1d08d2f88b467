import t from 'tap';
import { startCluster } from '../../helpers/cluster.js';
import { images, startDocker } from '../../helpers/docker/engine.js';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { ownExtension } from '../../helpers/platform.js';
import { becomes, clientOf, leftOn, settingsOf, walled } from './world.js';

const skip = skipWithout('docker', 'registry', 'postgres', 'redis');
const page = { limit: 50, offset: 0 };

t.test('two instances share a table and an engine, with unique names', { skip }, async (t) => {
  const engine = await startDocker(t);
  void engine.inside('busybox', 'nc', '-ll', '-p', '5001', '-e', 'sleep', '600').catch(() => undefined);
  const extensions = ['members', 'nodes'].map(ownExtension);
  const [one, other] = (await startCluster(t, 2, { extensions, settings: settingsOf(engine) })).map((platform) => clientOf(platform));
  if (!one || !other) throw new Error('There are two');

  await t.test('one instance shows, follows and deletes nodes created on the other', async (t) => {
    const { id } = await one.nodes.create({ name: 'box', respond_async: true });
    const types: string[] = [];
    for await (const { type } of other.nodes.events({ id })) types.push(type);
    t.same([types[0], types.at(-1)], ['node.updated', 'done']);
    t.ok(types.includes('pull.progress'), 'the progress of the pull reaches the other instance');
    t.equal((await other.nodes.get({ id })).status, 'online');
    t.equal(await other.nodes.delete({ id, force: false }), undefined);
    await until(
      () => leftOn(engine.docker),
      (names) => names.length === 0,
    );
  });

  await t.test('one of many concurrent requests for a name gets it', async (t) => {
    const asked = [one, other, one, other].map((client) => client.nodes.create({ name: 'same', respond_async: false }));
    const ends = (await Promise.allSettled(asked)).map((end) =>
      end.status === 'fulfilled' ? 'made' : (end.reason as { code: string }).code,
    );
    t.same(ends.sort(), ['made', 'node_name_taken', 'node_name_taken', 'node_name_taken']);
    await walled(one, (await one.nodes.list(page)).items[0]?.id ?? 0);
    // The other, which has just started, sets up the walls as well.
    await until(
      () => leftOn(engine.docker),
      (names) => names.length === 3,
    );
    t.match(await leftOn(engine.docker), [/^container/, /^network/, /^volume/]);
  });

  await t.test('waiting for an image ends once the other instance deletes the node', async (t) => {
    const config = { image: '127.0.0.1:5001/never' };
    const waits = one.nodes.create({ name: 'never', config, respond_async: false });
    const { items } = await until(
      () => other.nodes.list({ ...page, status: 'creating' }),
      ({ total }) => total === 1,
    );
    const begun = Date.now();
    const id = items[0]?.id ?? 0;
    await Promise.all([
      t.rejects(waits, { code: 'node_removing', status: 409 }),
      other.nodes.delete({ id, force: false }).then((left) => t.equal(left, undefined)),
    ]);
    t.ok(Date.now() - begun < 30_000);
    t.equal((await one.nodes.list(page)).total, 1);
  });

  await t.test('an image can be named by its digest too', async (t) => {
    const { RepoDigests } = await engine.docker.getImage(images.busybox).inspect();
    const [exact = ''] = RepoDigests;
    t.match(exact, /@sha256:/);
    await Promise.all((await one.nodes.list(page)).items.map(({ id }) => one.nodes.delete({ id, force: false })));
    for (const image of [exact, exact.replace('@', ':latest@')]) {
      await engine.docker.getImage(exact).remove({ force: true });
      const { id } = await one.nodes.create({ name: `exact ${image.length}`, config: { image }, respond_async: false });
      t.equal((await becomes(other, id, 'online')).config.image, image);
    }
  });
});
