import t from 'tap';
import { Changes } from '../../../../extensions/nodes/changes.js';
import { pending_walls } from '../../../../extensions/nodes/containers/creator.js';
import { migration } from '../../../../extensions/nodes/migrations/0001-nodes.js';
import { defineModels } from '../../../../extensions/nodes/models.js';
import { StatusRecorder } from '../../../../extensions/nodes/monitor/status-recorder.js';
import { NodeStore } from '../../../../extensions/nodes/store/nodes.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, systemClock } from '../../../helpers/databases.js';

const config = { image: 'busybox', memory_limit: '512m', cpu_limit: '1.0', host_key: '' } as const;
const row = { node_type: 'docker', host: '', sealed: '', created_by: 1, request_key: null } as const;

async function open(data: Data) {
  await data.migrate('nodes', [migration]);
  const db = data.facade('nodes');
  const nodes = new NodeStore(db, defineModels(db));
  const changes = new Changes({
    db,
    clock: systemClock,
    nodes,
    emit: async () => undefined,
    broadcast: () => undefined,
  });
  const restarted: number[] = [];
  const incidents: string[] = [];
  const state = { fails: false };
  const emit = async ({ code }: { code: string }) => {
    if (state.fails) throw new Error('no database');
    incidents.push(code);
  };
  const recorder = new StatusRecorder({ clock: systemClock, nodes, changes, emit, restarted: ({ id }) => void restarted.push(id) });
  const online = async (name: string, network: 'internet' | 'none', walls: StoredNode['walls']) => {
    const { id } = await nodes.insert({ ...row, name, config: { ...config, network } }, systemClock.iso());
    const made = await nodes.update(id, { status: 'online', container_id: name, started_at: 'first', walls }, systemClock.iso());
    return made as StoredNode;
  };
  return { nodes, recorder, online, restarted, incidents, state };
}

t.test('walls of an earlier start are not reported as active', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const { nodes, recorder, online, restarted } = await open(data);
    const fenced = { fenced: true, reason: '' };
    const one = await online('one', 'internet', fenced);
    const walls = async ({ id }: StoredNode) => (await nodes.find(id))?.walls;
    await recorder.started(one, 'first');
    t.strictSame([await walls(one), restarted], [fenced, []], 'the walls belong to this start');
    await recorder.started(one, 'second');
    t.strictSame([await walls(one), restarted], [{ ...pending_walls }, [one.id]]);

    await nodes.update(one.id, { walls: fenced }, systemClock.iso());
    await recorder.started(one, 'second');
    t.strictSame(await walls(one), fenced, 'another instance has set them for this start');

    const open_one = await online('open', 'internet', { fenced: false, reason: 'no image' });
    await recorder.started(open_one, 'second');
    t.strictSame(await walls(open_one), { fenced: false, reason: 'no image' });
    const alone = await online('alone', 'none', fenced);
    await recorder.started(alone, 'second');
    t.strictSame(await walls(alone), fenced, 'the container is in no network');
    t.match(await nodes.find(alone.id), { status: 'online', started_at: 'second' });
  });
});

t.test('an incident that could not be stored is reported the next time', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const { recorder, online, incidents, state } = await open(data);
    const one = await online('one', 'internet', { fenced: true, reason: '' });
    state.fails = true;
    await t.rejects(recorder.incident(one, 'died', 'It ended'), /no database/);
    await t.rejects(recorder.health(one, true), /no database/);
    state.fails = false;
    for (const _ of [1, 2]) {
      await recorder.incident(one, 'died', 'It ended');
      await recorder.health(one, true);
    }
    t.strictSame(incidents, ['died', 'unhealthy'], 'once');
  });
});
