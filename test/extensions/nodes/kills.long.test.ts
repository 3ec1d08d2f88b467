import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { MembersApi } from '../../../extensions/members/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { http } from '../../../kernel/client/http.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { images, startDocker, type TestDocker } from '../../helpers/docker/engine.js';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { type ServerProcess, startServer } from '../../helpers/server-process.js';
import { leftOn, type NodesClient } from './world.js';

interface Running {
  server: ServerProcess;
  client: NodesClient;
}

/** Starts a server on the same settings as the one before. */
async function starter(t: Test, engine: TestDocker, environment: Record<string, string>): Promise<() => Promise<Running>> {
  const operations = (await startPlatform(t, { listen: false, background: false })).kernel.operations();
  return async () => {
    const settings = { PLATFORM_DOCKER_HOST: engine.url, PLATFORM_NODE_IMAGE: images.busybox, PLATFORM_NODE_GUARD_IMAGE: images.busybox };
    const server = await startServer(t, { ...environment, ...settings });
    const nobody = http({ url: server.url });
    const { access_token: token } = await connect<MembersApi>(operations, nobody).auth.login({
      username: 'admin',
      password: adminPassword,
    });
    await nobody.close();
    const transport = http({ url: server.url, token, resume: { attempts: 0 } });
    t.teardown(() => transport.close());
    return { server, client: connect(operations, transport) as unknown as NodesClient };
  };
}

/** Asks for all of them at once; gives how many were refused for another reason than that the server died or has them. */
async function createAll(client: NodesClient, names: readonly string[]): Promise<string[]> {
  const asked = names.map((name) =>
    client.nodes.create({ name, respond_async: false }).then(
      () => [],
      ({ code }: { code: string }) => (['node_name_taken', 'unreachable'].includes(code) ? [] : [code]),
    ),
  );
  return (await Promise.all(asked)).flat();
}

const all = { limit: 200, offset: 0 };

/** Once nothing is left to do: each row has its container, its network and its volume, and there is nothing else. */
async function whole(t: Test, client: NodesClient, engine: TestDocker, names: readonly string[]): Promise<void> {
  const { items } = await until(
    async () => {
      await sleep(200);
      return client.nodes.list(all);
    },
    (found) => found.items.length > 0 && found.items.every(({ status, walls }) => status === 'online' && walls.fenced),
    90_000,
  );
  t.same(items.map(({ name }) => name).sort(), [...names].sort());
  const wanted = items.flatMap(({ id }) => [`container .*-node-${id}`, `network .*-node-${id}`, `volume .*-node-${id}`]).sort();
  // A helper that was made and never started goes after a minute.
  const left = await until(
    () => leftOn(engine.docker),
    (found) => found.length === wanted.length,
    150_000,
  );
  for (const pattern of wanted)
    t.ok(
      left.some((name) => new RegExp(`^${pattern}$`).test(name)),
      pattern,
    );
  const running = await engine.docker.listContainers({ filters: { label: ['platform.id'] } });
  t.same(new Set(running.map(({ Id }) => Id)), new Set(items.map(({ container_id }) => container_id)));
}

t.test('twenty nodes are created while the server is killed five times', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const engine = await startDocker(t);
  const start = await starter(t, engine, { PLATFORM_DATA_DIR: await temporaryFolder(t) });
  const names = Array.from({ length: 20 }, (_, n) => `box ${n}`);
  for (const containers of [1, 4, 8, 12, 16]) {
    const { server, client } = await start();
    const refused = createAll(client, names);
    const count = async () => (await engine.docker.listContainers({ all: true })).length;
    await until(count, (found) => found >= containers, 60_000);
    await server.kill('SIGKILL');
    t.same(await refused, [], `killed with ${containers} containers`);
  }
  const { client } = await start();
  t.same(await createAll(client, names), []);
  await whole(t, client, engine, names);

  await t.test('all twenty nodes are deleted and leave nothing in the engine', async (t) => {
    const { items } = await client.nodes.list(all);
    await Promise.all(items.map(({ id }) => client.nodes.delete({ id, force: false })));
    await until(
      () => client.nodes.list(all),
      ({ total }) => total === 0,
      60_000,
    );
    t.same(await leftOn(engine.docker), []);
  });
});

t.test(
  'another instance finishes the creation of a dead one',
  { skip: skipWithout('docker', 'registry', 'postgres', 'redis') },
  async (t) => {
    const engine = await startDocker(t);
    const { database_url, bus_url, secret_key } = await sharedSettings(t);
    const shared = {
      PLATFORM_DATABASE_URL: String(database_url),
      PLATFORM_BUS_URL: String(bus_url),
      PLATFORM_SECRET_KEY: String(secret_key),
    };
    const instance = async () => (await starter(t, engine, { ...shared, PLATFORM_DATA_DIR: await temporaryFolder(t) }))();
    const [first, second] = [await instance(), await instance()];
    const names = Array.from({ length: 8 }, (_, n) => `box ${n}`);
    const refused = createAll(first.client, names);
    await until(
      async () => (await engine.docker.listContainers({ all: true })).length,
      (found) => found >= 2,
    );
    await first.server.kill('SIGKILL');
    t.same(await refused, []);
    t.same(await createAll(second.client, names), []);
    await whole(t, second.client, engine, names);
  },
);
