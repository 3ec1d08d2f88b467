import t from 'tap';
import type { NodeUsers } from '../../../../extensions/agents/contract.js';
import { locationOf, Placement } from '../../../../extensions/agents/placement.js';
import { defaultSettings } from '../../../../extensions/agents/profiles/profile.js';
import type { Place } from '../../../../extensions/chat/contract.js';
import type { Member } from '../../../../extensions/members/contract.js';
import type { Scope } from '../../../../kernel/contract/index.js';

const usual = defaultSettings({ seconds: 1_800, first_byte_seconds: 120, idle_seconds: 120 });
const ready = 1;
const other = 2;
const offline = 3;
const draining = 4;
const gone = 5;
const readiness = new Map([
  [ready, 'ready'],
  [other, 'ready'],
  [offline, 'node_offline'],
  [draining, 'node_draining'],
] as const);

const employee = 10;
const admin = 11;
const ada = 12;
const nobody = 13;

interface Case {
  bound: number | null;
  others?: number[];
  users?: NodeUsers;
  asker?: number;
  scopes?: 'all' | Scope[];
  place: Place;
}

const none = { node_id: null, why: 'no_node' } as const;
const refused = { node_id: null, why: 'no_grant' } as const;

const cases: Record<string, Case> = {
  'no node': { bound: null, place: none },
  'its node': { bound: ready, place: { node_id: ready } },
  'its node before the others': { bound: other, others: [ready], place: { node_id: other } },
  'another where its own is away': { bound: offline, others: [draining, other], place: { node_id: other } },
  'none is ready: its own is waited for': {
    bound: offline,
    others: [draining],
    place: { node_id: offline, waits: 'node_offline' },
  },
  'its own is drained': { bound: draining, others: [offline], place: { node_id: draining, waits: 'node_draining' } },
  'its own is gone: the next is waited for': { bound: gone, others: [offline], place: { node_id: offline, waits: 'node_offline' } },
  'all are gone': { bound: gone, others: [gone], place: none },
  'bound to none any more, another is left': { bound: null, others: [other], place: { node_id: other } },
  'administrators, and a member': { bound: ready, users: 'admins', asker: ada, place: refused },
  'administrators, and one': { bound: ready, users: 'admins', asker: admin, place: { node_id: ready } },
  'administrators, and a token of one that may not administer': {
    bound: ready,
    users: 'admins',
    asker: admin,
    scopes: ['chat'],
    place: refused,
  },
  'administrators, and a token of one that may': {
    bound: ready,
    users: 'admins',
    asker: admin,
    scopes: ['chat', 'admin'],
    place: { node_id: ready },
  },
  'members by name, and another, though an administrator': { bound: ready, users: [ada], asker: admin, place: refused },
  'members by name': { bound: ready, users: [ada], asker: ada, scopes: ['chat'], place: { node_id: ready } },
  'one who may not is not kept waiting': { bound: offline, users: 'admins', asker: ada, place: refused },
  'one who may not, and no node': { bound: null, users: 'admins', asker: ada, place: refused },
  'one who is gone': { bound: ready, asker: nobody, place: none },
};

function placementOf({ bound, others = [], users = 'all' }: Case, known: () => Promise<typeof readiness> | undefined) {
  const members = [
    { id: employee, role: 'member', remote_node_id: bound },
    { id: admin, role: 'admin', remote_node_id: null },
    { id: ada, role: 'member', remote_node_id: null },
  ] as Member[];
  const settings = { ...usual, fallback_node_ids: others, node_users: users };
  return new Placement({
    members: { byIds: async (ids) => members.filter(({ id }) => ids.includes(id)) },
    settings: { get: async () => ({ settings, updated_at: null }) },
    readiness: known,
  });
}

for (const [name, given] of Object.entries(cases)) {
  t.test(`places a task: ${name}`, async (t) => {
    const placing = { member_id: employee, requested_by: given.asker ?? ada, scopes: given.scopes ?? ('all' as const) };
    t.same(await placementOf(given, async () => readiness).places([placing]), [given.place]);
  });
}

t.test('without the extension nodes a task waits for its own node', async (t) => {
  const placement = placementOf({ bound: ready, others: [other], place: none }, () => undefined);
  const placing = { member_id: employee, requested_by: ada, scopes: 'all' as const };
  t.same(await placement.places([placing]), [{ node_id: ready, waits: 'node_offline' }]);
});

t.test('places many tasks in order with one query for the nodes', async (t) => {
  const asked: number[][] = [];
  const placement = placementOf({ bound: ready, users: [ada, nobody], others: [offline], place: none }, () => Promise.resolve(readiness));
  const counting = new Placement({
    members: { byIds: async (ids) => ids.map((id) => ({ id, role: 'member', remote_node_id: id === employee ? ready : null }) as Member) },
    settings: {
      get: async () => ({ settings: { ...usual, node_users: [ada], fallback_node_ids: [offline] }, updated_at: null }),
    },
    readiness: async (ids) => {
      asked.push([...ids]);
      return readiness;
    },
  });
  const placings = [ada, admin, ada].map((requested_by) => ({ member_id: employee, requested_by, scopes: 'all' as const }));
  t.same(await counting.places(placings), [{ node_id: ready }, refused, { node_id: ready }]);
  t.same(asked, [[ready, offline]]);
  t.same(await placement.places([]), []);
});

t.test('work started on a node continues there while allowed', async (t) => {
  const user = { member_id: ada, role: 'member', scopes: 'all' } as const;
  const at = (remote_node_id: number | null, fallback_node_ids: number[], begun_on: number | null, node_users: NodeUsers = 'all') =>
    locationOf({ remote_node_id, fallback_node_ids, node_users }, user, begun_on);
  t.same(at(ready, [], ready), { node_id: ready });
  t.same(at(ready, [other], other), { node_id: other }, 'work continues on its fallback node although its own is back');
  t.same(at(other, [], ready), { node_id: null, why: 'elsewhere' }, 'the employee was bound to another node meanwhile');
  t.same(at(ready, [], null), { node_id: null, why: 'elsewhere' }, 'the employee was bound to a node meanwhile');
  t.same(at(null, [], ready), none, 'the employee was unbound meanwhile');
  t.same(at(null, [other], null), none);
  t.same(at(ready, [], ready, 'admins'), refused, 'the grant was removed meanwhile');
});
