import t, { type Test } from 'tap';
import { Changes } from '../../../../extensions/nodes/changes.js';
import { NodeCreator } from '../../../../extensions/nodes/containers/creator.js';
import { NodeDeletion } from '../../../../extensions/nodes/containers/deletion.js';
import { NodeRemover } from '../../../../extensions/nodes/containers/remover.js';
import { migration } from '../../../../extensions/nodes/migrations/0001-nodes.js';
import { defineModels } from '../../../../extensions/nodes/models.js';
import { NodeStore } from '../../../../extensions/nodes/store/nodes.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, silentLog, systemClock } from '../../../helpers/databases.js';
import { becomes } from '../../../helpers/eventually.js';
import { workerOf } from '../../../helpers/work.js';

const now = '2026-01-01T00:00:00.000Z';
const config = { image: 'busybox', memory_limit: '512m', cpu_limit: '1.0', network: 'none', host_key: '' } as const;
const newRow = (name: string) => ({ name, node_type: 'docker', host: '', config, sealed: '', created_by: 1, request_key: null }) as const;

/** An instance that never ends what it begins. */
function instanceOf(t: Test, data: Data) {
  const db = data.facade('nodes');
  const nodes = new NodeStore(db, defineModels(db));
  const emit = async () => undefined;
  const changes = new Changes({ db, clock: systemClock, nodes, emit, broadcast: () => undefined });
  const departures = new NodeDeletion({ db, nodes, changes, emit, broadcastRemoved: () => undefined });
  const [made, removed]: [number[], number[]] = [[], []];
  const polls: (() => Promise<void>)[] = [];
  const place = { data, extension: 'nodes', instance: `instance ${Math.random()}` };
  const begun = (ids: number[], id: number) => {
    ids.push(id);
    return new Promise<never>(() => undefined);
  };
  const common = { nodes, changes, departures, log: silentLog, platform: 'p' };
  const work: ConstructorParameters<typeof NodeCreator>[0]['work'] = (options) => {
    const { worker } = workerOf(t, options, place);
    polls.push(() => worker.poll());
    return worker;
  };
  const creation = { make: ({ id }: { id: number }) => begun(made, id) };
  const rest = { creation, prepare: () => undefined, progress: () => undefined, now: () => now };
  const maker = new NodeCreator({ ...common, work, ...rest, docker: async () => ({}) as never });
  const remover = new NodeRemover({ ...common, work, docker: ({ id }) => begun(removed, id) });
  const poll = () => Promise.all(polls.map((each) => each()));
  return { nodes, maker: maker.jobs, remover: remover.jobs, made, removed, poll };
}

t.test('pending work of nodes is started unless it is postponed or claimed', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('nodes', [migration]);
    const here = instanceOf(t, data);
    for (const name of ['making', 'going', 'away', 'made', 'there', 'broken']) await here.nodes.insert(newRow(name), now);
    const states = [['creating'], ['removing', 'c'], ['offline'], ['offline', 'c'], ['online', 'c'], ['error']] as const;
    for (const [index, [status, container_id = null]] of states.entries())
      await here.nodes.update(index + 1, { status, container_id }, now);
    await here.poll();
    await becomes(t, () => [[...here.made].sort(), here.removed], [[1, 3], [2]]);

    const there = instanceOf(t, data);
    await there.poll();
    t.same([await there.maker.claim(1), await there.remover.claim(2)], [false, false], 'one instance at a time works on a node');
    t.same([await there.maker.claim(5), await there.remover.claim(5)], [false, false], 'nodes without pending work are not claimed');
    await here.nodes.insert(newRow('late'), now);
    t.ok(await there.maker.claim(7));
    await there.maker.postpone(7);
    await here.poll();
    t.notOk(here.made.includes(7), 'the work was postponed');
    t.ok(await here.maker.claim(7), 'a request may start postponed work earlier');

    const next = instanceOf(t, data);
    await Promise.all([next.maker.recover(), next.remover.recover()]);
    await next.poll();
    const freed = data.facade('nodes').dialect === 'sqlite' ? [[1, 3, 7], [2]] : [[], []];
    await becomes(t, () => [next.made.sort(), next.removed], freed);
  });
});
