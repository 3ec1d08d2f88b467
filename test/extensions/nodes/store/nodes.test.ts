import t, { type Test } from 'tap';
import { Changes } from '../../../../extensions/nodes/changes.js';
import type { NodeChanged } from '../../../../extensions/nodes/contract.js';
import { migration } from '../../../../extensions/nodes/migrations/0001-nodes.js';
import { defineModels } from '../../../../extensions/nodes/models.js';
import { NodeStore } from '../../../../extensions/nodes/store/nodes.js';
import { eachDatabase } from '../../../helpers/databases.js';

const early = '2026-01-01T00:00:00.000Z';
const late = '2026-01-01T01:00:00.000Z';
const plain = { image: 'busybox', memory_limit: '512m', cpu_limit: '1.0', network: 'internet', host_key: '' } as const;
const newRow = (name: string, request_key: string | null = null) =>
  ({ name, node_type: 'docker', host: '', config: plain, sealed: '', created_by: 1, request_key }) as const;

interface Shelf {
  nodes: NodeStore;
  changes: Changes;
  emitted: NodeChanged[];
  told: string[];
}

async function onEach(t: Test, work: (t: Test, shelf: Shelf) => Promise<void>): Promise<void> {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('nodes', [migration]);
    const db = data.facade('nodes');
    const nodes = new NodeStore(db, defineModels(db));
    const emitted: NodeChanged[] = [];
    const told: string[] = [];
    const changes = new Changes({
      db,
      clock: { now: () => Date.parse(late), iso: () => late },
      nodes,
      emit: async (change) => void emitted.push(change),
      broadcast: ({ name, status }) => void told.push(`${name} ${status}`),
    });
    await work(t, { nodes, changes, emitted, told });
  });
}

t.test('stores a node with all fields, and its name is case-insensitive', async (t) => {
  await onEach(t, async (t, { nodes }) => {
    const stored = await nodes.insert(newRow('Ärger', 'key'), early);
    t.match(stored, { id: 1, name: 'Ärger', config: plain, status: 'creating', draining: false, shell: null, since: early });
    t.same(stored.walls, { fenced: false, reason: '' });
    for (const name of ['ärger', 'ÄRGER', 'A\u0308rger']) await t.rejects(nodes.insert(newRow(name), early), { code: 'node_name_taken' });
    t.same(await nodes.byRequest('key', early), stored);
    t.equal(await nodes.byRequest('other', early), undefined);
    t.same(await nodes.page({ limit: 10, offset: 0 }), { items: [stored], total: 1 });
    t.same(await nodes.page({ status: 'online', limit: 10, offset: 0 }), { items: [], total: 0 });
    t.same(await nodes.byIds([1, 7]), [stored]);
    t.same(await nodes.byIds([]), []);
    t.equal(await nodes.delete(1), true);
    t.equal(await nodes.delete(1), false);
    t.ok((await nodes.insert(newRow('Ärger'), early)).id > 1, 'an id is never reused');
  });
});

t.test('the compared form of a name may be much longer', async (t) => {
  await onEach(t, async (t, { nodes }) => {
    for (const name of ['\u0130'.repeat(64), '\ufdfa'.repeat(64)]) {
      const { id } = await nodes.insert(newRow(name), early);
      await t.rejects(nodes.insert(newRow(name), early), { code: 'node_name_taken' });
      await nodes.update(id, { name: `short ${id}` }, early);
      t.equal((await nodes.update(id, { name }, early))?.name, name);
    }
  });
});

t.test('a request expires, and its key is free again', async (t) => {
  await onEach(t, async (t, { nodes }) => {
    const first = await nodes.insert(newRow('one', 'key'), early);
    t.same(await nodes.byRequest('key', early), first, 'the request has not expired before');
    t.equal(await nodes.byRequest('key', late), undefined);
    const second = await nodes.insert(newRow('two', 'key'), late);
    t.same(await nodes.byRequest('key', late), second);
  });
});

t.test('`since` changes with the status only, and a used name changes nothing', async (t) => {
  await onEach(t, async (t, { nodes }) => {
    await nodes.insert(newRow('one'), early);
    await nodes.insert(newRow('two'), early);
    t.match(await nodes.update(1, { status: 'creating', reason: 'again' }, late), { since: early, updated_at: late, reason: 'again' });
    const changed = await nodes.update(1, { status: 'online', shell: false, walls: { fenced: true, reason: 'r' }, draining: true }, late);
    t.match(changed, { since: late, shell: false, walls: { fenced: true, reason: 'r' }, draining: true });
    await t.rejects(nodes.update(1, { name: 'TWO' }, late), { code: 'node_name_taken' });
    t.equal((await nodes.update(1, { name: 'ONE' }, late))?.name, 'ONE');
    t.equal(await nodes.update(9, { reason: '' }, late), undefined);
  });
});

t.test('answers and missed probes are counted only for created nodes', async (t) => {
  await onEach(t, async (t, { nodes }) => {
    for (const name of ['making', 'there', 'away']) await nodes.insert(newRow(name), early);
    await nodes.update(2, { status: 'online' }, early);
    await nodes.update(3, { status: 'offline' }, early);
    t.same(
      (await nodes.countMisses([1, 2])).map(({ id, misses }) => [id, misses]),
      [[2, 1]],
    );
    t.same((await nodes.countMisses([2, 3])).map(({ misses }) => misses).sort(), [1, 2]);
    await nodes.recordAnswers([1, 2, 3], late);
    t.same(
      (await nodes.all()).map(({ last_heartbeat, misses }) => [last_heartbeat, misses]),
      [
        [null, 0],
        [late, 0],
        [late, 0],
      ],
    );
    await nodes.recordAnswers([], late);
    t.same(await nodes.countMisses([]), []);
  });
});

t.test('a status changes only from the expected one, together with its event', async (t) => {
  await onEach(t, async (t, { nodes, changes, emitted, told }) => {
    await nodes.insert(newRow('one'), early);
    t.equal(await changes.move(1, { from: ['online'], to: { status: 'offline' } }), undefined);
    t.equal(await changes.move(1, { where: ({ shell }) => shell === true, to: { status: 'offline' } }), undefined);
    t.equal(await changes.move(5, { to: { status: 'offline' } }), undefined);
    t.same([emitted, told], [[], []]);
    t.match(await changes.move(1, { from: ['creating'], to: { status: 'online', reason: '' } }), { status: 'online', since: late });
    const event = { id: 1, name: 'one', status: 'online', previous: 'creating', reason: '', reason_code: '', draining: false };
    t.same(emitted, [event]);
    await changes.move(1, { to: { shell: true } });
    t.equal(emitted.length, 1, 'changes that only clients see emit no event');
    await changes.move(1, { to: { draining: true } });
    t.match(emitted[1], { previous: 'online', status: 'online', draining: true });
    t.same(told, ['one online', 'one online', 'one online']);
  });
});
