import t from 'tap';
import { EmployeePresence } from '../../../extensions/agents/presence.js';
import type { VirtualMember } from '../../../extensions/members/contract.js';
import { becomes } from '../../helpers/eventually.js';
import { callerOf, startPlatform } from '../../helpers/platform.js';
import { connect } from '../../kernel/http/socket/client.js';

t.test('an AI employee is online while its node is, or where it needs none', async (t) => {
  const employees = [
    { id: 1, remote_node_id: null },
    { id: 2, remote_node_id: 10 },
    { id: 3, remote_node_id: 11 },
    { id: 4, remote_node_id: 12 },
  ] as VirtualMember[];
  const statuses = new Map([
    [10, 'online'],
    [11, 'offline'],
  ]);
  const presence = new EmployeePresence({ members: { virtuals: async () => employees }, nodes: async () => statuses });
  t.same(
    [...(await presence.present())],
    [
      [1, 'online'],
      [2, 'online'],
    ],
  );
});

t.test('whoever opens a socket learns which AI employees are online, also of those made later', async (t) => {
  const { kernel, url } = await startPlatform(t);
  const { token } = (await kernel.invoke('tokens.create', { name: 'a' }, callerOf())).body as { token: string };
  const client = await connect(t, url, { token });
  const online = () => client.of('presence').map(({ data }) => [data.member_id, data.status]);
  const { body } = await kernel.invoke('members.create_virtual', { name: 'Ada' }, callerOf());
  const { items } = (await kernel.invoke('members.list', {}, callerOf())).body as { items: { id: number; is_virtual: boolean }[] };
  const assistant = items.find(({ is_virtual }) => is_virtual)?.id;
  for (const id of [assistant, (body as { id: number }).id]) {
    await becomes(t, () => online().some(([member_id, status]) => member_id === id && status === 'online'), true, 15_000);
  }
});
