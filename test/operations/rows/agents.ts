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
  { name: 'an id that nothing has', input: { id: nowhere, ...change }, code: 'approval_not_found' },
  { name: 'what is no id', input: { id: 'nonsense', ...change }, code: 'invalid_input' },
  ...(['bob', 'admin'] as const).map((asker) => ({
    name: `another's, for ${asker}`,
    asker,
    input: async (side: Side) => {
      if (asker === 'bob') await side.logIn('bob', 'bob');
      return { ...(await pending(side)), ...change };
    },
    code: 'approval_not_found',
  })),
];

export const agentsRows: Record<string, Uses> = {
  'approvals.list': {
    success: [
      {
        name: 'lists what waits',
        input: async (side) => ({ status: (await pending(side)) && 'pending', limit: 1 }),
        body: [{ status: 'pending' }],
      },
    ],
    failures: [
      { name: 'an unknown state', input: { status: 'maybe' }, code: 'invalid_input' },
      { name: 'too many', input: { limit: 201 }, code: 'invalid_input' },
      { name: 'before the first', input: { offset: -1 }, code: 'invalid_input' },
    ],
  },
  'approvals.get': {
    success: [{ name: 'shows one', input: pending, body: { name: 'members.get', input: { id: 1 }, effect: 'read', status: 'pending' } }],
    failures: refusals({}),
  },
  'approvals.decide': {
    success: [
      {
        name: 'approves',
        input: async (side) => ({ ...(await pending(side)), decision: 'approve' }),
        body: { status: 'approved', decided_by_name: 'ada' },
      },
      {
        name: 'the same again',
        input: async (side) => ({ ...(await denied(side)), decision: 'deny', reason: 'Still no' }),
        body: { status: 'denied', reason: '' },
      },
    ],
    failures: [
      ...refusals({ decision: 'approve' }),
      { name: 'what was denied', input: async (side) => ({ ...(await denied(side)), decision: 'approve' }), code: 'approval_decided' },
      { name: 'neither', input: { id: nowhere, decision: 'perhaps' }, code: 'invalid_input' },
    ],
  },
};
