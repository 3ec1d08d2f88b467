import type Docker from 'dockerode';
import t from 'tap';
import { Changes } from '../../../../extensions/nodes/changes.js';
import { nameOf } from '../../../../extensions/nodes/containers/labels.js';
import { Reaper } from '../../../../extensions/nodes/containers/reaper.js';
import { removeAll } from '../../../../extensions/nodes/containers/removal.js';
import { migration } from '../../../../extensions/nodes/migrations/0001-nodes.js';
import { defineModels } from '../../../../extensions/nodes/models.js';
import { NodeStore } from '../../../../extensions/nodes/store/nodes.js';
import { eachDatabase, silentLog } from '../../../helpers/databases.js';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { leftOn, startOn, startWorld, walled } from '../world.js';

const skip = skipWithout('docker', 'registry');
const now = '2026-01-01T00:00:00.000Z';
const config = { image: 'busybox', memory_limit: '512m', cpu_limit: '1.0', network: 'internet', host_key: '' } as const;
const row = (name: string) => ({ name, node_type: 'docker', host: '', config, sealed: '', created_by: 1, request_key: null }) as const;

/** A container, a network and a volume with the labels of a node. */
async function leave(docker: Docker, platform: string, id: number, role = 'work'): Promise<string> {
  const Labels = { 'platform.id': platform, 'platform.node': String(id), 'platform.role': role };
  const name = `${nameOf(platform, { id })}${role === 'work' ? '' : `-${role}`}`;
  if (role === 'work') {
    await docker.createNetwork({ Name: name, Labels });
    await docker.createVolume({ Name: name, Labels });
  }
  const mounts = { Mounts: [{ Type: 'volume' as const, Source: name, Target: '/workspace' }] };
  const HostConfig = { Init: true, ...(role === 'work' ? mounts : {}) };
  const container = await docker.createContainer({ name, Image: images.busybox, Cmd: ['sleep', '600'], Labels, HostConfig });
  await container.start();
  return container.id;
}

t.test('engine and table are reconciled', { skip }, async (t) => {
  const { docker, url } = await startDocker(t);
  t.match(url, /^unix:/);
  const pull = (await docker.pull(images.busybox)) as NodeJS.ReadableStream;
  await new Promise((resolve) => docker.modem.followProgress(pull, resolve));
  await eachDatabase(t, async (t, data) => {
    await data.migrate('nodes', [migration]);
    const db = data.facade('nodes');
    const nodes = new NodeStore(db, defineModels(db));
    const platform = await nodes.platform();
    const other = platform.replace(/^.{8}/, '00000000');
    const emitted: string[] = [];
    const changes = new Changes({
      db,
      clock: { now: () => Date.parse(now), iso: () => now },
      nodes,
      emit: async ({ name, status, reason_code }) => void emitted.push(`${name} ${status} ${reason_code}`),
      broadcast: () => undefined,
    });
    for (const name of ['kept', 'missing', 'making', 'going', 'new']) await nodes.insert(row(name), now);
    const kept = await leave(docker, platform, 1);
    await nodes.update(1, { status: 'online', container_id: kept }, now);
    await nodes.update(2, { status: 'offline', container_id: 'gone' }, now);
    await nodes.update(4, { status: 'removing', container_id: 'gone' }, now);
    await leave(docker, platform, 3);
    await leave(docker, platform, 99);
    await leave(docker, other, 98);
    await leave(docker, platform, 1, 'guard');
    // An engine whose clock is set otherwise than this host's.
    const ahead = (ms: number) => {
      const info = async () => ({ SystemTime: new Date(Date.now() + ms).toISOString() });
      return Object.assign(Object.create(docker) as Docker, { info });
    };
    const reaper = (engine: Docker) => new Reaper({ nodes, changes, log: silentLog, platform, docker: async () => engine });

    t.equal(await reaper(docker).reap(), true, 'work is left while a helper container may still work');
    t.same(emitted, ['missing error container_missing']);
    const names = await leftOn(docker);
    t.equal(names.length, 10, 'three objects of each of three nodes, and a helper that may still work');
    t.equal(names.filter((name) => name.includes('-node-99')).length, 0, 'the container is removed with its network and volume');
    t.equal(names.filter((name) => name.includes(nameOf(other, { id: 98 }))).length, 3, "another platform's container is never removed");
    t.equal(await reaper(ahead(120_000)).reap(), false);
    t.notOk(
      (await leftOn(docker)).some((name) => name.endsWith('guard')),
      'a forgotten helper container is removed',
    );
    t.equal((await nodes.find(1))?.status, 'online');
    for (const [owner, id] of [
      [platform, 1],
      [platform, 3],
      [other, 98],
    ] as const)
      await removeAll(docker, owner, { id });
    t.same(await leftOn(docker), []);
  });
});

t.test('a starting platform removes containers without a row', { skip }, async (t) => {
  const { engine, docker, admin, platform } = await startWorld(t);
  const { id } = await admin.nodes.create({ name: 'box', respond_async: false });
  await walled(admin, id);
  await platform.kernel.close();
  const [found] = await docker.listContainers({ filters: { label: ['platform.id'] } });
  await leave(docker, found?.Labels['platform.id'] ?? '', id + 7);
  t.equal((await leftOn(docker)).length, 6);
  await startOn(t, engine, { settings: { data_dir: platform.data_dir } });
  await until(
    () => leftOn(docker),
    (names) => names.length === 3,
  );
  t.same(
    (await leftOn(docker)).map((name) => name.replace(/^\S+ .*-/, '')),
    [String(id), String(id), String(id)],
  );
});
