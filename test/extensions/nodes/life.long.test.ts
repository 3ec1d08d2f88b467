import t from 'tap';
import { images } from '../../helpers/docker/engine.js';
import { skipWithout } from '../../helpers/parts.js';
import { callerOf } from '../../helpers/platform.js';
import { becomes, clientOf, leftOn, startWorld, walled } from './world.js';

const skip = skipWithout('docker', 'registry');

t.test('creates a node with its settings from a pulled image', { skip }, async (t) => {
  const { admin, docker, platform } = await startWorld(t);
  t.same(await docker.listImages(), [], 'the engine lacks the image');
  const node = await admin.nodes.create({ name: 'box', config: { memory_limit: '64m', cpu_limit: '0.5' }, respond_async: false });
  t.match(node, { id: 1, name: 'box', node_type: 'docker', host: '', status: 'online', shell: true, reason: '', draining: false });
  t.same(node.config, { image: images.busybox, memory_limit: '64m', cpu_limit: '0.5', network: 'internet' });

  await walled(admin, node.id);
  const { Name, Config, HostConfig, State, Mounts, NetworkSettings } = await docker.getContainer(node.container_id ?? '').inspect();
  t.equal(State.Running, true);
  t.match(HostConfig, {
    Memory: 64 * 1024 ** 2,
    MemorySwap: 64 * 1024 ** 2,
    NanoCpus: 500_000_000,
    PidsLimit: 512,
    Init: true,
    Privileged: false,
    SecurityOpt: ['no-new-privileges'],
    CapDrop: ['ALL'],
    RestartPolicy: { Name: 'unless-stopped' },
    Dns: ['1.1.1.1', '9.9.9.9'],
  });
  t.same(HostConfig.CapAdd, ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID']);
  const name = Name.slice(1);
  t.match(name, /^platform-[0-9a-f]{8}-node-1$/);
  t.match(Mounts, [{ Type: 'volume', Name: name, Destination: '/workspace', RW: true }]);
  t.equal(Mounts.length, 1, "neither the engine's socket nor another folder is mounted");
  t.same(Object.keys(NetworkSettings.Networks), [name]);
  t.match(Config.Labels, { 'platform.node': '1', 'platform.role': 'work', 'platform.id': new RegExp(`^${name.slice(9, 17)}-`) });
  t.same(await leftOn(docker), [`container /${name}`, `network ${name}`, `volume ${name}`]);

  await t.test('the name of a node is unique', async (t) => {
    await t.rejects(admin.nodes.create({ name: 'BOX', respond_async: false }), { code: 'node_name_taken', status: 409 });
    await t.rejects(admin.nodes.register({ name: 'Box', node_type: 'docker' }), { code: 'node_name_taken' });
    t.equal((await leftOn(docker)).length, 3);
  });

  await t.test('members see a node without its address, container and reason, and cannot drain it', async (t) => {
    await admin.members.create({ username: 'ada', password: 'correct horse battery' });
    const ada = clientOf(platform, callerOf({ member_id: 2, username: 'ada', role: 'member' }));
    t.match(await ada.nodes.get({ id: 1 }), { host: '', reason: '', container_id: null, status: 'online' });
    t.equal((await ada.nodes.list({ limit: 10, offset: 0 })).total, 1);
    await t.rejects(ada.nodes.drain({ id: 1, draining: true }), { code: 'forbidden' });
  });

  await t.test('a node is renamed and drained', async (t) => {
    t.match(await admin.nodes.update({ id: 1, name: 'crate' }), { name: 'crate', status: 'online' });
    t.equal((await admin.nodes.drain({ id: 1, draining: true })).draining, true);
    t.equal((await admin.nodes.drain({ id: 1, draining: false })).draining, false);
    await t.rejects(admin.nodes.update({ id: 1, config: { tls: { ca: 'x' } } }), {
      code: 'invalid_input',
      details: [{ path: 'config.tls' }],
    });
    await t.rejects(admin.nodes.update({ id: 9, name: 'x' }), { code: 'node_not_found' });
  });

  t.equal(await admin.nodes.delete({ id: 1, force: false }), undefined);
  t.same(await leftOn(docker), [], 'nothing of the node is left');
  await t.rejects(admin.nodes.get({ id: 1 }), { code: 'node_not_found' });
  await t.rejects(admin.nodes.delete({ id: 1, force: false }), { code: 'node_not_found' });
});

t.test('a failed creation leaves nothing', { skip }, async (t) => {
  const { admin, docker } = await startWorld(t);
  const refused = (config: object, wanted: { code: string; [key: string]: unknown }) =>
    t.rejects(admin.nodes.create({ name: 'box', config, respond_async: false }), wanted);
  await refused({ image: '127.0.0.1:5000/absent:1' }, { code: 'image_pull_failed', status: 502, message: /absent:1.*not found/ });
  await refused({ image: '127.0.0.1:5999/absent:1' }, { code: 'image_pull_failed', message: /refused/ });
  await refused(
    { cpu_limit: '1000' },
    { code: 'invalid_input', status: 400, details: [{ path: 'config.cpu_limit', message: /processors/ }] },
  );
  const wrong = { image: 'Not an image', memory_limit: 'much', cpu_limit: '0' };
  const paths = [{ path: 'config.image' }, { path: 'config.memory_limit' }, { path: 'config.cpu_limit' }];
  await refused(wrong, { code: 'invalid_input', status: 400, details: paths });
  t.same(await leftOn(docker), []);
  t.same(await admin.nodes.list({ limit: 10, offset: 0 }), { items: [], total: 0 });
  const free = await admin.nodes.create({ name: 'box', respond_async: false });
  t.equal(free.status, 'online', 'the name is free again');
  await walled(admin, free.id);

  await t.test('a registered node whose image is missing is reported as failed', async (t) => {
    const { id } = await admin.nodes.register({ name: 'odd', node_type: 'docker', config: { image: '127.0.0.1:5000/absent:1' } });
    t.match(await becomes(admin, id, 'error'), { reason_code: 'image_pull_failed', container_id: null });
    t.equal((await leftOn(docker)).length, 3);
    t.equal(await admin.nodes.delete({ id, force: false }), undefined);
  });
});

t.test('an image without a shell runs its own program, and its end is reported', { skip }, async (t) => {
  const { admin, docker } = await startWorld(t);
  const node = await admin.nodes.create({ name: 'bare', config: { image: images.noshell, network: 'none' }, respond_async: false });
  t.match(node, { status: 'online', shell: false });
  const { HostConfig, Config } = await docker.getContainer(node.container_id ?? '').inspect();
  t.equal(HostConfig.NetworkMode, 'none');
  t.same(Config.Cmd, ['/sleep', '2147483647']);
  t.equal((await leftOn(docker)).length, 2, 'the node has a container and a volume, but no network');
  await admin.nodes.delete({ id: node.id, force: false });

  const container = await docker.createContainer({ Image: images.noshell, Cmd: ['/sleep', '0'] });
  await container.commit({ repo: 'ends', tag: 'latest' });
  await container.remove();
  await t.rejects(admin.nodes.create({ name: 'ends', config: { image: 'ends' }, respond_async: false }), {
    code: 'container_failed',
    status: 502,
  });
  t.same(await leftOn(docker), []);
});

t.test('the creation of a node that nobody waits for is reported by events', { skip }, async (t) => {
  const { admin, docker } = await startWorld(t);
  const { id, status } = await admin.nodes.create({ name: 'box', respond_async: true });
  t.equal(status, 'creating');
  const types: string[] = [];
  let last: object = {};
  for await (const { type, data } of admin.nodes.events({ id })) {
    types.push(type);
    last = data;
  }
  t.same([types[0], types.at(-1)], ['node.updated', 'done']);
  t.ok(types.includes('pull.progress'), types.join(' '));
  t.same(last, { status: 'online' });
  const again = [];
  for await (const { type } of admin.nodes.events({ id })) again.push(type);
  t.same(again, ['node.updated', 'done'], 'a late reader gets the current state');

  await walled(admin, id);

  await t.test('a deletion during the creation leaves nothing', async (t) => {
    const events = await docker.getEvents({ filters: { type: ['volume'] } });
    const made = admin.nodes.create({ name: 'gone', config: { image: images.watched }, respond_async: false });
    const deleted = new Promise<void>((resolve) => events.once('data', () => resolve())).then(async () => {
      const { items } = await admin.nodes.list({ limit: 10, offset: 0, status: 'creating' });
      return admin.nodes.delete({ id: items[0]?.id ?? 0, force: false });
    });
    await t.rejects(made, { code: 'node_removing', status: 409 }, 'the creation is interrupted');
    t.equal(await deleted, undefined);
    t.equal((await leftOn(docker)).length, 3, 'only the other node is left');
    t.equal((await admin.nodes.list({ limit: 10, offset: 0 })).total, 1);
  });
});

t.test('a request repeated with its key creates one node', { skip }, async (t) => {
  const { platform, docker } = await startWorld(t);
  const create = (key: string) =>
    platform.kernel
      .invoke('nodes.create', { name: 'box' }, callerOf(), { idempotency_key: key })
      .then(({ body }) => body as { id: number });
  const { id } = await create('first');
  t.equal((await create('first')).id, id);
  await walled(clientOf(platform), id);
  await t.rejects(create('second'), { code: 'node_name_taken' });
  t.equal((await leftOn(docker)).length, 3);
});
