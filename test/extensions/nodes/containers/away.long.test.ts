import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { temporaryFolder } from '../../../helpers/platform.js';
import { becomes, clientOf, leftOn, startOn, startWorld, walled } from '../world.js';

const skip = skipWithout('docker', 'registry');
const page = { limit: 50, offset: 0 };

t.test('creating a node stops waiting for an unavailable engine and stores nothing', async (t) => {
  const admin = clientOf(await startOn(t, { url: 'unix:///nowhere/docker.sock' }));
  await t.rejects(admin.nodes.create({ name: 'box', respond_async: false }), { code: 'engine_unavailable', status: 503 });
  t.same(await admin.nodes.list(page), { items: [], total: 0 });
  t.match(await admin.nodes.register({ name: 'box', node_type: 'docker' }), { status: 'offline', reason_code: 'engine_unavailable' });
  t.same(await admin.nodes.delete({ id: 2, force: false }), { id: 2, status: 'removing' });
  t.match(await admin.nodes.get({ id: 2 }), { status: 'removing', name: 'box' });
  await t.rejects(admin.nodes.create({ name: 'box', respond_async: false }), { code: 'node_name_taken' }, 'its name is reserved');
  for (const refused of [admin.nodes.drain({ id: 2, draining: true }), admin.nodes.update({ id: 2, name: 'x' })])
    await t.rejects(refused, { code: 'node_removing', status: 409 });
  t.equal(await admin.nodes.delete({ id: 2, force: true }), undefined);
  t.same(await admin.nodes.list(page), { items: [], total: 0 });
});

/** A socket that takes connections and says nothing. */
async function silent(t: Test): Promise<string> {
  const path = join(await temporaryFolder(t), 'engine.sock');
  const server: Server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => server.close());
  return `unix://${path}`;
}

t.test('registering a node does not wait for an engine that never answers', async (t) => {
  const admin = clientOf(await startOn(t, { url: 'unix:///nowhere/docker.sock' }));
  const begun = Date.now();
  const node = await admin.nodes.register({ name: 'box', node_type: 'docker', host: await silent(t) });
  t.match(node, { status: 'offline', reason_code: 'engine_unavailable' });
  t.ok(Date.now() - begun < 12_000, 'the limit is three seconds instead of fifteen');
});

t.test('a node registered while its engine was unavailable is created when the engine returns', { skip }, async (t) => {
  const engine = await startDocker(t);
  await engine.stop();
  const admin = clientOf(await startOn(t, engine));
  const { id, status } = await admin.nodes.register({ name: 'box', node_type: 'docker' });
  t.equal(status, 'offline');
  await engine.start();
  t.match(await becomes(admin, id, 'online', 40_000), { reason: '', reason_code: '', shell: true });
  await walled(admin, id);
  t.equal((await leftOn(engine.docker)).length, 3);
});

t.test('an engine that dies between pull and start leaves nothing incomplete', { skip }, async (t) => {
  const { admin, engine, docker } = await startWorld(t);
  const events = await docker.getEvents({ filters: { type: ['volume'] } });
  const made = admin.nodes.create({ name: 'box', respond_async: false });
  await Promise.all([
    t.rejects(made, { code: 'engine_unavailable', status: 503 }),
    new Promise<void>((resolve) => events.once('data', () => resolve())).then(() => engine.kill()),
  ]);
  t.match((await admin.nodes.list(page)).items, [{ name: 'box', status: 'removing' }], 'the node is removed once the engine is back');
  await engine.start();
  await until(
    () => admin.nodes.list(page),
    ({ total }) => total === 0,
    40_000,
  );
  t.same(await leftOn(docker), []);
});

t.test('a node deleted while its engine was unavailable is removed when the engine returns, and its name is free', { skip }, async (t) => {
  const { admin, engine, docker } = await startWorld(t);
  const { id } = await admin.nodes.create({ name: 'box', respond_async: false });
  await engine.kill();
  t.same(await admin.nodes.delete({ id, force: false }), { id, status: 'removing' });
  t.match(await admin.nodes.get({ id }), { status: 'removing', reason_code: 'engine_unavailable' });
  const stream = admin.nodes.events({ id });
  await engine.start();
  const types: string[] = [];
  let last: object = {};
  for await (const { type, data } of stream) {
    types.push(type);
    last = data;
  }
  t.same([types[0], last], ['node.updated', { status: 'removed' }]);
  t.same(await leftOn(docker), []);
  t.match(await admin.nodes.create({ name: 'box', config: { image: images.busybox }, respond_async: false }), { status: 'online' });

  await t.test('a node is dropped at once on request, and its remains are found later', async (t) => {
    const [node] = (await admin.nodes.list(page)).items;
    await walled(admin, node?.id ?? 0);
    await engine.kill();
    t.equal(await admin.nodes.delete({ id: node?.id ?? 0, force: true }), undefined);
    t.same(await admin.nodes.list(page), { items: [], total: 0 });
    await engine.start();
    t.equal((await leftOn(docker)).length, 3, 'the container was left in the engine');
  });
});
