import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Changes } from '../../../../extensions/nodes/changes.js';
import { fail } from '../../../../extensions/nodes/codes.js';
import type { CreatedContainer, CreationRequest } from '../../../../extensions/nodes/containers/creation.js';
import { NodeCreator } from '../../../../extensions/nodes/containers/creator.js';
import { NodeDeletion } from '../../../../extensions/nodes/containers/deletion.js';
import { migration } from '../../../../extensions/nodes/migrations/0001-nodes.js';
import { defineModels } from '../../../../extensions/nodes/models.js';
import { NodeStore } from '../../../../extensions/nodes/store/nodes.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';
import { type Database, fail as failCore } from '../../../../kernel/contract/index.js';
import { eachDatabase, silentLog, systemClock } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { workIn } from '../../../helpers/work.js';

const now = '2026-01-01T00:00:00.000Z';
const config = { image: 'busybox', memory_limit: '512m', cpu_limit: '1.0', network: 'none', host_key: '' } as const;
const row = { name: 'box', node_type: 'docker', host: '', config, sealed: 'old', created_by: 1, request_key: null } as const;
const made: CreatedContainer = { container_id: 'c', shell: true, started_at: now };

/** Long enough that a slow machine does not lose one by itself. */
const lease_ms = 1_000;

/** A database in which leases can't be renewed while it is away. */
function cut(db: Database): { db: Database; link: { away: boolean } } {
  const link = { away: false };
  const rows: Database['rows'] = (sql, ...given) => {
    if (link.away && sql.startsWith('UPDATE nodes_nodes SET lease_until'))
      return Promise.reject(failCore('database_unavailable', 'It is away'));
    return db.rows(sql, ...given);
  };
  return { db: new Proxy(db, { get: (target, name) => (name === 'rows' ? rows : bound(target, name)) }), link };
}

function bound(target: Database, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}

interface Bench {
  nodes: NodeStore;
  link: { away: boolean };
  /** Another instance tries to take it. */
  takeElsewhere: () => Promise<boolean>;
  node: StoredNode;
  make: () => Promise<StoredNode>;
  pursue: () => Promise<void>;
  /** Whether an instance would begin with it by itself. */
  due: () => Promise<boolean>;
  /** How often what is in the engine was removed, or tried to be. */
  clears: () => number;
}

/** A node that is made as the test says, since no engine takes as long as a test wants. */
async function onEach(
  t: Test,
  create: (bench: Bench, request: CreationRequest) => Promise<CreatedContainer>,
  work: (t: Test, bench: Bench) => Promise<void>,
) {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('nodes', [migration]);
    const db = data.facade('nodes');
    const nodes = new NodeStore(db, defineModels(db));
    const emit = async () => undefined;
    const changes = new Changes({ db, clock: systemClock, nodes, emit, broadcast: () => undefined });
    const { db: worked, link } = cut(db);
    const departures = new NodeDeletion({ db, nodes, changes, emit, broadcastRemoved: () => undefined });
    let asked = 0;
    const docker = async () => {
      asked += 1;
      return {} as never;
    };
    const node = await nodes.insert(row, now);
    const creation = { make: (_node: StoredNode, request: CreationRequest) => create(bench, request) };
    const rest = { prepare: () => undefined, progress: () => undefined, now: () => now, log: silentLog, platform: 'p' };
    const parts = { nodes, changes, creation, departures, docker, lease: { lease_ms, heartbeat_ms: lease_ms / 4 }, ...rest };
    const maker = new NodeCreator({ ...parts, work: workIn(t, { data, db: worked, extension: 'nodes' }) });
    const elsewhere = new NodeCreator({ ...parts, work: workIn(t, { data, extension: 'nodes' }) });
    const bench: Bench = {
      nodes,
      link,
      takeElsewhere: () => elsewhere.jobs.claim(node.id),
      node,
      async make() {
        await maker.jobs.claim(node.id);
        return maker.make(node);
      },
      pursue: () => maker.createInBackground(node.id),
      due: async () => (await db.rows('SELECT id FROM nodes_nodes WHERE lease_until <= $1', [Date.now()])).length > 0,
      // An attempt asks for the engine once.
      clears: () => asked - 1,
    };
    await work(t, bench);
  });
}

t.test('an instance without the database gives its node up after a lease, before another claims it', async (t) => {
  let taken: boolean | undefined;
  const create = async ({ link, takeElsewhere }: Bench, { signal }: CreationRequest): Promise<CreatedContainer> => {
    link.away = true;
    await until(async () => signal.aborted, Boolean);
    taken = await takeElsewhere();
    throw signal.reason;
  };
  await onEach(t, create, async (t, { make, nodes, node, clears }) => {
    await t.rejects(make(), { code: 'database_unavailable', status: 503 });
    t.equal(taken, false, 'another instance could not have claimed the node yet');
    t.equal(clears(), 0);
    t.equal((await nodes.find(node.id))?.status, 'creating', 'the node is left to the next instance');
  });
});

t.test('a short database outage ends nothing', async (t) => {
  const create = async ({ link }: Bench, { signal }: CreationRequest): Promise<CreatedContainer> => {
    link.away = true;
    await sleep(100);
    link.away = false;
    await sleep(lease_ms + 100);
    signal.throwIfAborted();
    return made;
  };
  await onEach(t, create, async (t, { make }) => {
    t.match(await make(), { status: 'online', container_id: 'c' });
  });
});

t.test("an owner that lost its lease does not undo the new owner's node", async (t) => {
  const create = async ({ link, nodes, node }: Bench): Promise<CreatedContainer> => {
    link.away = true;
    await nodes.update(node.id, { status: 'online', container_id: 'theirs' }, now);
    link.away = false;
    throw fail('container_failed', 'It does not start');
  };
  for (const way of ['make', 'pursue'] as const)
    await onEach(t, create, async (t, bench) => {
      await bench[way]().catch(() => undefined);
      t.match(await bench.nodes.find(bench.node.id), { status: 'online', container_id: 'theirs', reason: '' }, way);
      t.equal(bench.clears(), 0);
    });
});

t.test('removes a container that appears after its node was deleted', async (t) => {
  const create = async ({ nodes, node }: Bench): Promise<CreatedContainer> => {
    await nodes.delete(node.id);
    return made;
  };
  for (const way of ['make', 'pursue'] as const)
    await onEach(t, create, async (t, bench) => {
      await bench[way]().catch(() => undefined);
      t.equal(bench.clears(), 1, way);
    });
});

t.test('an attempt that fails while its credentials change is repeated', async (t) => {
  const changes = [{ sealed: 'new' }, { config: { ...config, host_key: 'new' } }];
  for (const patch of changes) {
    const create = async ({ nodes, node }: Bench): Promise<CreatedContainer> => {
      await nodes.update(node.id, patch, now);
      throw fail('ssh_auth_failed', 'It lets nobody in');
    };
    await onEach(t, create, async (t, { pursue, nodes, node, due }) => {
      await pursue();
      t.match(await nodes.find(node.id), { status: 'creating', reason: '' });
      t.notOk(await due(), 'the attempt is not repeated at once');
    });
  }
  const create = () => Promise.reject(fail('ssh_auth_failed', 'It lets nobody in'));
  await onEach(t, create, async (t, { pursue, nodes, node }) => {
    await pursue();
    t.match(
      await nodes.find(node.id),
      { status: 'error', reason_code: 'ssh_auth_failed' },
      'an attempt with unchanged credentials is not repeated',
    );
  });
});
