import t from 'tap';
import { type Image, imageOf } from '../../../../extensions/nodes/containers/image.js';
import { joinNetwork, rangeOf } from '../../../../extensions/nodes/containers/network.js';
import { Pulls } from '../../../../extensions/nodes/containers/pulls.js';
import { removeAll } from '../../../../extensions/nodes/containers/removal.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { skipWithout } from '../../../helpers/parts.js';
import { startWorld, walled } from '../world.js';

t.test('network ranges do not overlap and start again after the last', (t) => {
  t.same([0, 1, 16, 4_096, 65_535, 65_536].map(rangeOf), [
    '10.224.0.0/28',
    '10.224.0.16/28',
    '10.224.1.0/28',
    '10.225.0.0/28',
    '10.239.255.240/28',
    '10.224.0.0/28',
  ]);
  t.equal(new Set(Array.from({ length: 65_536 }, (_, n) => rangeOf(n))).size, 65_536);
  t.end();
});

t.test('a node gets a network even if the engine has no range left', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const { admin, docker } = await startWorld(t);
  const fill = async () => {
    for (let n = 0; ; n += 1) await docker.createNetwork({ Name: `filler-${n}` });
  };
  await t.rejects(fill(), { message: /address pool|fully subnetted/ });
  await docker.createNetwork({ Name: 'in the way', IPAM: { Driver: 'default', Config: [{ Subnet: rangeOf(31) }] } });
  const { id, status, container_id } = await admin.nodes.create({ name: 'box', respond_async: false });
  t.equal(status, 'online');
  await walled(admin, id);
  const { NetworkSettings } = await docker.getContainer(container_id ?? '').inspect();
  t.match(Object.values(NetworkSettings.Networks), [{ IPAddress: '10.224.2.2', IPPrefixLen: 28 }], 'a used range is skipped');
  t.equal(await admin.nodes.delete({ id, force: false }), undefined);
});

t.test(
  'a container joins one network, whoever connects it, and a removed one leaves none',
  { skip: skipWithout('docker', 'registry') },
  async (t) => {
    const { docker } = await startDocker(t);
    await new Pulls().ensure({
      docker,
      host: '',
      image: imageOf(images.busybox) as Image,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    const platform = '00000000-0000-4000-8000-000000000000';
    const node = { id: 7, host: '', config: { network: 'internet' } } as StoredNode;
    const filters = { label: ['platform.id'] };
    const container = await docker.createContainer({
      Image: images.busybox,
      Cmd: ['sleep', '600'],
      HostConfig: { NetworkMode: 'none', Init: true },
    });
    await container.start();
    const join = () => joinNetwork(docker, node, { platform, container: container.id });
    await Promise.all([join(), join(), join()]);
    t.equal((await docker.listNetworks({ filters })).length, 1);
    t.same(Object.keys((await container.inspect()).NetworkSettings.Networks), ['platform-00000000-node-7']);
    // As one leaves it who is killed between its two steps.
    await docker.getNetwork('platform-00000000-node-7').disconnect({ Container: container.id });
    await join();
    t.same(
      Object.keys((await container.inspect()).NetworkSettings.Networks),
      ['platform-00000000-node-7'],
      'an interrupted connection is completed',
    );
    await container.remove({ force: true });
    await removeAll(docker, platform, node);
    t.match(await join().catch((fault: unknown) => fault), { statusCode: 404 });
    t.same(await docker.listNetworks({ filters }), []);
  },
);
