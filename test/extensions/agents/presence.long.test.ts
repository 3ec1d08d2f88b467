import t from 'tap';
import { presenceOf } from '../../../extensions/agents/presence.js';
import { defaultSettings } from '../../../extensions/agents/profiles/profile.js';
import type { VirtualMember } from '../../../extensions/members/contract.js';
import { becomes } from '../../helpers/eventually.js';
import { callerOf, startPlatform } from '../../helpers/platform.js';
import { connect } from '../../kernel/platform/http/socket/client.js';

const defaults = defaultSettings({ seconds: 1_800, first_byte_seconds: 120, idle_seconds: 120 });

t.test('an AI employee is online while one of its nodes is ready, or if it needs none', async (t) => {
  const employees = [
    { id: 1, remote_node_id: null, active: true },
    { id: 2, remote_node_id: 10, active: true },
    { id: 3, remote_node_id: 11, active: true },
    { id: 4, remote_node_id: 12, active: true },
    { id: 5, remote_node_id: 13, active: true },
    { id: 6, remote_node_id: 11, active: true },
  ] as VirtualMember[];
  const states = new Map([
    [10, 'ready'],
    [11, 'node_offline'],
    [13, 'node_draining'],
  ] as const);
  const fallbacks = new Map([
    [4, [11]],
    [6, [12, 10]],
  ]);
  let questions = 0;
  const settings = {
    defaults: { settings: defaults, updated_at: null },
    async of() {
      questions += 1;
      return new Map(
        [...fallbacks].map(([id, fallback_node_ids]) => [id, { settings: { ...defaults, fallback_node_ids }, updated_at: null }]),
      );
    },
  };
  const members = { virtuals: async () => employees };
  const present = (readiness: () => Promise<typeof states> | undefined) => presenceOf({ members, settings, readiness }).present();
  t.same([...(await present(async () => states)).keys()], [1, 2, 6]);
  t.equal(questions, 1, 'one query covers all employees');
  t.same([...(await present(() => undefined)).keys()], [1], 'without the extension nodes only employees without a node are online');
});

t.test('a new socket receives the online AI employees, including those created later', async (t) => {
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
