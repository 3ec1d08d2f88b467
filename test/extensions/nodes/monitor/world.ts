import type Docker from 'dockerode';
import type { Test } from 'tap';
import { Changes } from '../../../../extensions/nodes/changes.js';
import { labels as labelNames, labelsOf } from '../../../../extensions/nodes/containers/labels.js';
import type { NodeChanged, NodeIncident } from '../../../../extensions/nodes/contract.js';
import { Engines } from '../../../../extensions/nodes/engines/engines.js';
import { migration } from '../../../../extensions/nodes/migrations/0001-nodes.js';
import { migration as watchMigration } from '../../../../extensions/nodes/migrations/0002-watch.js';
import { defineModels } from '../../../../extensions/nodes/models.js';
import { Monitor, type MonitorParts } from '../../../../extensions/nodes/monitor/monitor.js';
import { Samples } from '../../../../extensions/nodes/monitor/samples.js';
import { StatusRecorder } from '../../../../extensions/nodes/monitor/status-recorder.js';
import { Vitals } from '../../../../extensions/nodes/monitor/vitals.js';
import { NodeStore } from '../../../../extensions/nodes/store/nodes.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';
import { WatchLease } from '../../../../extensions/nodes/store/watch-sql.js';
import { type Data, openData } from '../../../../kernel/platform/data/hub.js';
import { silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { images, type TestDocker } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';

const platform = '7f6c1c1e-3d0b-4c57-9d55-000000000001';

/** A caller with all permissions. */
export const admin = { role: 'admin', scopes: 'all' } as const;

/** A table of nodes, an engine for them, and a monitor that nothing but the test drives. */
export interface World {
  nodes: NodeStore;
  changes: Changes;
  vitals: Vitals;
  samples: Samples;
  /** Emitted events, in order. */
  changed: NodeChanged[];
  incidents: NodeIncident[];
  /** A monitor of one more instance; it watches once it is told to lead. */
  monitor(change?: Partial<MonitorParts>, lease_ms?: number): Monitor;
  /** A node with a running container. */
  running(name: string, change?: Docker.ContainerCreateOptions): Promise<StoredNode & { container_id: string }>;
  /** Waits until a node is so. */
  becomes(id: number, wanted: Partial<StoredNode>): Promise<StoredNode>;
}

/** For what doesn't depend on the kind of database. */
export async function openSqlite(t: Test): Promise<Data> {
  const data = await openData({ url: 'sqlite:', data_dir: await temporaryFolder(t), clock: systemClock, log: silentLog });
  t.teardown(() => data.close());
  return data;
}

export async function openWorld(t: Test, data: Data, engine: TestDocker): Promise<World> {
  await data.migrate('nodes', [migration, watchMigration]);
  const db = data.facade('nodes');
  const models = defineModels(db);
  const nodes = new NodeStore(db, models);
  const changed: NodeChanged[] = [];
  const incidents: NodeIncident[] = [];
  const emit = async (change: NodeChanged) => void changed.push(change);
  const changes = new Changes({ db, clock: systemClock, nodes, emit, broadcast: () => undefined });
  const engines = new Engines({ local: engine.url });
  t.teardown(() => engines.dispose());
  const docker = () => engines.at({ host: '', host_key: '', secrets: {} });
  const samples = new Samples(() => Date.now());
  const recorder = new StatusRecorder({
    clock: systemClock,
    nodes,
    changes,
    emit: async (incident) => void incidents.push(incident),
    restarted: () => undefined,
  });
  let instances = 0;
  return {
    nodes,
    changes,
    samples,
    changed,
    incidents,
    vitals: new Vitals({ clock: systemClock, samples, docker }),
    monitor(change = {}, lease_ms = 20_000) {
      instances += 1;
      const watch = new WatchLease(db, models.watch, { owner: `instance ${instances}`, lease_ms });
      const parts = { nodes, watch, recorder, samples, clock: systemClock, log: silentLog, platform, docker };
      const monitor = new Monitor({ ...parts, pauses: [20, 100], ...change });
      t.teardown(() => monitor.dispose());
      return monitor;
    },
    async running(name, change = {}) {
      const row = { name, node_type: 'docker', host: '', config: plain, sealed: '', created_by: 1, request_key: null } as const;
      const { id } = await nodes.insert(row, systemClock.iso());
      const { HostConfig, ...options } = change;
      const container = await engine.docker.createContainer({
        Image: images.busybox,
        Cmd: ['sleep', '100000'],
        Labels: { ...labelsOf(platform, { id }), [labelNames.role]: 'work' },
        HostConfig: { Init: true, RestartPolicy: { Name: 'unless-stopped' }, ...HostConfig },
        ...options,
      });
      t.teardown(() => container.remove({ force: true }).catch(() => undefined));
      await container.start();
      const { State } = await container.inspect();
      const stored = await changes.move(id, { to: { status: 'online', container_id: container.id, started_at: State.StartedAt } });
      changed.length = 0;
      if (stored?.container_id !== container.id) throw new Error('The node is gone');
      return { ...stored, container_id: container.id };
    },
    async becomes(id, wanted) {
      const entries = Object.entries(wanted);
      const found = await until(
        () => nodes.find(id),
        (node) => node !== undefined && entries.every(([key, value]) => node[key as keyof StoredNode] === value),
      );
      return found as StoredNode;
    },
  };
}

const plain = { image: images.busybox, memory_limit: '512m', cpu_limit: '1.0', network: 'internet', host_key: '' } as const;

/** Has an engine pull the images that tests start containers of. */
export async function pullImages({ docker }: TestDocker): Promise<void> {
  for (const image of [images.busybox, images.watched]) {
    const progress = await docker.pull(image);
    await new Promise((resolve, reject) =>
      docker.modem.followProgress(progress, (fault, steps) => (fault ? reject(fault) : resolve(steps))),
    );
  }
}

/** Runs a command in a container to its end. */
export async function run({ docker }: TestDocker, container_id: string, ...Cmd: string[]): Promise<number> {
  const exec = await docker.getContainer(container_id).exec({ Cmd });
  await exec.start({ Detach: true });
  const { ExitCode } = await until(
    () => exec.inspect(),
    ({ Running }) => !Running,
  );
  return ExitCode ?? -1;
}
