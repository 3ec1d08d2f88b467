import { until } from '../../helpers/eventually.js';
import type { Side } from '../side.js';
import type { Row, Uses } from '../table.js';

const nowhere = '01900000-0000-4000-8000-000000000000';

interface Pending {
  id: string;
  task_id: string;
}

/** Something that an AI employee may only do once ada has approved it. */
async function pending(side: Side): Promise<{ id: string }> {
  const { id: target_id } = await side.give('members.create_virtual', { name: 'Careful', mode: 'supervised' });
  const { task_id } = await side.give<Pending>('chat.send', { content: '/call members.get {"id": 1}', target_id }, 'ada');
  const list = () => side.give<Pending[]>('approvals.list', { status: 'pending' }, 'ada');
  const open = await until(list, (all) => all.some((approval) => approval.task_id === task_id));
  return { id: open.find((approval) => approval.task_id === task_id)?.id as string };
}

async function denied(side: Side): Promise<{ id: string }> {
  const approval = await pending(side);
  await side.give('approvals.decide', { ...approval, decision: 'deny' }, 'ada');
  return approval;
}

const refusals = (change: object): Row[] => [
  { name: 'an unknown id', input: { id: nowhere, ...change }, code: 'approval_not_found' },
  { name: 'an invalid id', input: { id: 'nonsense', ...change }, code: 'invalid_input' },
  ...(['bob', 'admin'] as const).map((asker) => ({
    name: `another member's approval, for ${asker}`,
    asker,
    input: async (side: Side) => {
      if (asker === 'bob') await side.logIn('bob', 'bob');
      return { ...(await pending(side)), ...change };
    },
    code: 'approval_not_found',
  })),
];

/** An AI employee of its own for a row that changes it. */
const made =
  (rest: object = {}) =>
  async (side: Side) => ({ member_id: (await side.give('members.create_virtual', { name: 'Vic' })).id, ...rest });

const unknownId: Row = { name: 'an id of no member', input: { member_id: 999_999 }, code: 'employee_not_found' };
const person: Row = { name: 'a person', input: { member_id: 1 }, code: 'employee_not_found' };
const badId: Row = { name: 'an invalid id', input: { member_id: 'first' }, code: 'invalid_input' };

const refusedChange = (name: string, change: object): Row => ({ name, input: made(change), code: 'invalid_input' });

export const agentsRows: Record<string, Uses> = {
  'approvals.list': {
    // The first ones leave nothing behind that waits.
    success: [
      {
        name: 'lists denied ones',
        input: async (side) => ({ status: (await denied(side)) && 'denied', limit: 1 }),
        body: [{ status: 'denied' }],
      },
      {
        name: 'lists waiting ones',
        input: async (side) => ({ status: (await pending(side)) && 'pending', limit: 1 }),
        body: [{ status: 'pending' }],
      },
    ],
    failures: [
      { name: 'an unknown state', input: { status: 'maybe' }, code: 'invalid_input' },
      { name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' },
      { name: 'a negative offset', input: { offset: -1 }, code: 'invalid_input' },
    ],
  },
  'approvals.get': {
    success: [
      { name: 'returns one', input: denied, body: { status: 'denied', decided_by_name: 'ada' } },
      { name: 'returns a waiting one', input: pending, body: { name: 'members.get', input: { id: 1 }, effect: 'read', status: 'pending' } },
    ],
    failures: refusals({}),
  },
  'approvals.decide': {
    success: [
      {
        name: 'repeats the decision',
        input: async (side) => ({ ...(await denied(side)), decision: 'deny', reason: 'Still no' }),
        body: { status: 'denied', reason: '' },
      },
      {
        name: 'approves',
        input: async (side) => ({ ...(await pending(side)), decision: 'approve' }),
        body: { status: 'approved', decided_by_name: 'ada' },
      },
    ],
    failures: [
      ...refusals({ decision: 'approve' }),
      { name: 'a denied approval', input: async (side) => ({ ...(await denied(side)), decision: 'approve' }), code: 'approval_decided' },
      { name: 'an unknown decision', input: { id: nowhere, decision: 'perhaps' }, code: 'invalid_input' },
    ],
  },
  'agents.list': {
    success: [
      {
        name: 'lists all of them',
        input: async (side) => {
          // Those of other rows come to rest.
          const statuses = () => side.give<{ status: string }[]>('members.list_virtual');
          await until(statuses, (all) => all.every(({ status }) => status !== 'working'));
          return {};
        },
      },
    ],
    failures: [],
  },
  'agents.get': {
    success: [
      { name: 'returns the defaults', input: made(), body: { model: null, tools: 'all', limits: { steps: 50, tokens_per_day: 0 } } },
    ],
    failures: [unknownId, person, badId],
  },
  'agents.profile': {
    success: [
      {
        name: 'shows what it can do, to every member',
        input: async (side) => {
          const { id } = await side.give('members.create_virtual', { name: 'Vic', post: 'Clerk' });
          await side.give('agents.update', { member_id: id, tools: ['members_list', 'members_create_virtual'] });
          return { member_id: id };
        },
        body: { name: 'Vic', post: 'Clerk', mode: 'assistant', skills: [], tools: ['members.list'], node_status: null },
      },
      {
        name: 'shows an administrator more tools',
        asker: 'admin',
        input: async (side) => {
          const { id } = await side.give('members.create_virtual', { name: 'Vic' });
          await side.give('agents.update', { member_id: id, tools: ['members_list', 'members_create_virtual'] });
          return { member_id: id };
        },
        body: { tools: ['members.create_virtual', 'members.list'] },
      },
    ],
    failures: [unknownId, person, badId],
  },
  'agents.update': {
    success: [
      {
        name: 'changes the given fields',
        input: made({ name: 'Victor', limits: { steps: 3 } }),
        body: { name: 'Victor', limits: { steps: 3 } },
      },
      {
        name: 'does not return the key',
        input: made({ model: { base_url: 'http://127.0.0.1:11434/v1', api_key: 'sk-secret' } }),
        body: { model: { base_url: 'http://127.0.0.1:11434/v1', model: '', has_api_key: true } },
      },
    ],
    failures: [
      unknownId,
      person,
      badId,
      refusedChange('an unknown mode', { mode: 'free' }),
      refusedChange('no address', { model: { base_url: 'nonsense' } }),
      refusedChange('an address of another kind', { model: { base_url: 'ftp://host/v1' } }),
      refusedChange('an address with credentials', { fallback_models: [{ base_url: 'https://ada:word@host/v1' }] }),
      refusedChange('a key without address', { model: { api_key: 'sk-secret' } }),
      refusedChange('a price without currency', { model: { price: { input: 1, output: 2 } } }),
      refusedChange('no steps', { limits: { steps: 0 } }),
      refusedChange('users that nobody is', { node_users: [1, 999_999] }),
      refusedChange('a tool twice', { tools: ['members_list', 'members_list'] }),
    ],
  },
  'agents.test_model': {
    success: [
      {
        name: 'reports a server that nobody can reach',
        input: { base_url: 'http://127.0.0.1:1/v1', model: 'm' },
        body: { ok: false, error: { code: 'model_unavailable', message: /Check 'base_url'$/ }, models: [], model: 'm', answer: null },
      },
      { name: 'asks no model without a name', input: { base_url: 'http://127.0.0.1:1/v1' }, body: { ok: false, model: null } },
    ],
    failures: [
      unknownId,
      person,
      { name: 'no address', input: {}, code: 'invalid_input' },
      { name: 'an address of another kind', input: { base_url: 'ftp://host/v1' }, code: 'invalid_input' },
      { name: 'an address with credentials', input: { base_url: 'https://ada:word@host/v1' }, code: 'invalid_input' },
      { name: 'a key without address', input: { api_key: 'sk-secret' }, code: 'invalid_input' },
    ],
  },
  'agents.usage_summary': {
    success: [
      {
        name: 'sums nothing before there was anything',
        input: { from: '2020-01-01', to: '2020-01-31', requested_by: 1 },
        body: { from: '2020-01-01', to: '2020-01-31', input_tokens: 0, costs: [], days: [], employees: [], members: [], rooms: [] },
      },
    ],
    failures: [
      { name: 'no time', input: { from: 'yesterday' }, code: 'invalid_input' },
      { name: 'a range that ends before it begins', input: { from: '2030-02-01', to: '2030-01-01' }, code: 'invalid_input' },
      { name: 'a range that is too long', input: { from: '2030-01-01', to: '2031-02-01' }, code: 'invalid_input' },
      { name: 'a room without an id', input: { session_id: 'Launch' }, code: 'invalid_input' },
    ],
  },
  'agents.usage': {
    success: [
      { name: 'returns zeros without usage', input: made(), body: { input_tokens: 0, days: [], models: [], budget: { paused: false } } },
      {
        name: 'returns a range',
        input: made({ from: '2030-01-01', to: '2030-01-31T23:00:00' }),
        body: { from: '2030-01-01', to: '2030-01-31' },
      },
    ],
    failures: [
      unknownId,
      person,
      refusedChange('no time', { from: 'yesterday' }),
      refusedChange('a range that ends before it begins', { from: '2030-02-01', to: '2030-01-01' }),
      refusedChange('a range that is too long', { from: '2030-01-01', to: '2031-02-01' }),
    ],
  },
  'agents.usage_replies': {
    success: [{ name: 'lists none', input: made() }],
    failures: [unknownId, person, refusedChange('no time', { before: 'yesterday' }), refusedChange('too many', { limit: 201 })],
  },
  'tasks.run': {
    success: [{ name: 'answers once it is done', input: { prompt: '/help' }, body: { result: /I know these commands/ } }],
    failures: [
      { name: 'an empty prompt', input: { prompt: ' ' }, code: 'invalid_input' },
      { name: 'a person', input: { prompt: 'Work', member_id: 1 }, code: 'invalid_input' },
      { name: 'an unknown session', input: { prompt: 'Work', session_id: nowhere }, code: 'session_not_found' },
    ],
  },
};
