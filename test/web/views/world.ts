import type { Test } from 'tap';
import type { AgentsApi } from '../../../extensions/agents/contract.js';
import type { ChatApi } from '../../../extensions/chat/contract.js';
import type { MarketplaceApi } from '../../../extensions/marketplace/contract.js';
import type { MembersApi } from '../../../extensions/members/contract.js';
import type { NodesApi } from '../../../extensions/nodes/contract.js';
import type { NotificationsApi } from '../../../extensions/notifications/contract.js';
import type { SchedulesApi } from '../../../extensions/schedules/contract.js';
import type { WebApi } from '../../../extensions/web/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import type { SystemApi } from '../../../kernel/contract/system.js';
import { packed } from '../../examples/world.js';
import { collect } from '../../extensions/chat/world.js';
import { images, startDocker } from '../../helpers/docker/engine.js';
import { until } from '../../helpers/eventually.js';
import { callTools, type ModelServer, sayFor, startModelServer } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, callerOf } from '../../helpers/platform.js';
import { type App, startApp } from '../app.js';

type Api = AgentsApi & ChatApi & MarketplaceApi & MembersApi & NodesApi & NotificationsApi & SchedulesApi & SystemApi & WebApi;

/** Ids of what the platform holds. */
export interface Ids {
  mara: number;
  iris: number;
  otto: number;
  /** A conversation of the administrator with Otto. */
  talk: string;
  room: string;
  /** A message of the room, with a thread. */
  message: string;
  approval: string;
  schedule: number;
  /** Undefined without an engine for containers. */
  node: number | undefined;
}

/** A platform in which a small organisation has worked for a while. */
export interface Office {
  app: App;
  model: ModelServer;
  client: Client<Api>;
  ids: Ids;
}

export const plugin = 'acme.webhooks';
export const skill = 'acme.release-notes';

/** Makes the server log a line that everybody who reads its log sees. */
export async function beRefused({ url }: App): Promise<void> {
  await fetch(`${url}/api/auth/me`);
}

/** Starts a platform, and does in it what people, AI employees and schedules do. */
export async function startOffice(t: Test, { hasNode = true }: { hasNode?: boolean } = {}): Promise<Office> {
  const engine = hasNode && skipWithout('docker', 'registry') === false ? await startDocker(t) : undefined;
  const model = await startModelServer(t);
  const app = await startApp(t, {
    settings: {
      'agents.model.base_url': model.url,
      'agents.model.name': 'small-1',
      'agents.model.price': { input: 1.5, output: 6, currency: 'EUR' },
      'plugins.trusted': [plugin],
      ...(engine && { docker_host: engine.url, 'nodes.image': images.busybox, 'nodes.guard_image': images.busybox }),
    },
  });
  const client = connect<Api>(app.kernel.operations(), direct(app.kernel, callerOf()));
  const people = await hire(client);
  const [node, schedule] = await Promise.all([engine && addNode(client), plan(client), offer(t, client)]);
  const work = await converse({ client, model, people });
  await client.tokens.create({ name: 'CI', scopes: ['read', 'chat'] });
  await remind(client);
  const { mara, iris, otto } = people;
  return { app, model, client, ids: { mara, iris, otto, node, schedule, ...work } };
}

type People = Awaited<ReturnType<typeof hire>>;

async function hire(client: Client<Api>) {
  const create = (username: string, nickname: string) => client.members.create({ username, nickname, password: adminPassword });
  const mara = await create('mara', 'Mara Lindqvist');
  const siyuan = await create('siyuan', '陈思远');
  const former = await create('former', 'Tomás Ferreira');
  // Somebody on the first day.
  await create('newcomer', 'Noor Haddad');
  await client.members.update({ id: former.id, active: false });
  const iris = await client.members.create_virtual({ name: 'Iris', post: 'Support' });
  const otto = await client.members.create_virtual({ name: 'Otto', post: 'Release notes' });
  await client.agents.update({
    member_id: otto.id,
    instructions: 'You write release notes. Keep them short.',
    limits: { tokens_per_day: 200_000 },
    fallback_models: [{ base_url: 'https://models.example.org/v1', model: 'large-2' }],
  } as never);
  return { mara: mara.id, siyuan: siyuan.id, iris: iris.id, otto: otto.id };
}

async function addNode(client: Client<Api>): Promise<number> {
  const { id } = await client.nodes.create({ name: 'build-1', config: {}, respond_async: false });
  await until(
    () => client.nodes.get({ id }),
    ({ status }) => status === 'online',
    30_000,
  );
  // The container's own output, so that its log has a line.
  await collect(client.nodes.exec({ id, command: "echo 'Built release 1.4.0' > /proc/1/fd/1", timeout_s: 10 } as never));
  return id;
}

async function plan(client: Client<Api>): Promise<number> {
  const night = { trigger_type: 'cron', trigger_value: '0 3 * * *', timezone: 'Europe/Berlin' } as const;
  const { id } = await client.schedules.create({ name: 'Nightly backup', action: 'maintenance.backup', params: { keep: 7 }, ...night });
  await client.schedules.create({
    name: 'Weekly greeting',
    action: 'chat.send',
    params: { content: 'Good morning', target_id: 1 },
    enabled: false,
    ...night,
  });
  await client.schedules.run({ id });
  await until(
    () => client.schedules.history({ id, limit: 1, offset: 0 }),
    ({ items }) => items[0]?.status === 'success',
    30_000,
  );
  return id;
}

/** Publishes a plugin and installs it; publishes a skill, which waits for a review. */
async function offer(t: Test, client: Client<Api>): Promise<void> {
  const publish = async (type: 'plugin' | 'skill', id: string) =>
    client.marketplace.publish({ type, file: { name: `${id}.zip`, bytes: await packed(t, id) } } as never);
  const { version } = await publish('plugin', plugin);
  await client.marketplace.approve({ id: plugin, version });
  await client.marketplace.install({ id: plugin, accept_permissions: true });
  await publish('skill', skill);
}

const notes = `## 1.4.0

Rooms can be **exported**, and searching is faster.

| Change | Area | Who |
|---|---|---|
| Export as Markdown | chat | Otto |
| Search by \`room:\` | search | Mara |

\`\`\`ts
const notes = await client.sessions.export({ session_id, format: 'markdown' });
\`\`\`

- [x] Documentation
- [ ] Announcement`;

async function converse({ client, model, people }: { client: Client<Api>; model: ModelServer; people: People }) {
  const { mara, siyuan, iris, otto } = people;
  model.script(sayFor(1_240, 310, notes), (exchange) => exchange.text('The report begins', 'break off'), approvalAsked, sayFor(80, 20));
  const ask = async (target_id: number, content: string) => {
    const sent = await client.chat.send({ content, target_id });
    await collect(client.messages.stream({ message_id: sent.message_id }));
    return sent;
  };
  const { session_id: talk } = await ask(otto, 'Write the release notes of 1.4.0');
  await ask(otto, 'Now the report of the quarter');
  const { id: room } = await client.sessions.create({ title: 'Launch', target_type: 'room', target_id: '', member_ids: [mara, siyuan] });
  await client.sessions.update({ session_id: room, topic: 'Everything about the launch on Thursday' });
  const say = (content: string, more: object = {}) => client.chat.send({ session_id: room, content, ...more });
  const { message_id: message } = await say('The *launch* is on Thursday. See https://example.org/plan for the plan.');
  await say('Thursday works for me', { thread_id: message });
  await say('明天见！');
  await client.reactions.add({ message_id: message, emoji: '🎉' });
  const approval = await pendingApproval(client, iris);
  return { talk, room, message, approval };
}

const approvalAsked = callTools([{ name: 'members_create_virtual', arguments: { name: 'Bo', post: 'Support' } }], 'I create Bo.');

async function pendingApproval(client: Client<Api>, iris: number): Promise<string> {
  await client.chat.send({ content: 'Create Bo, please', target_id: iris });
  const [approval] = await until(
    () => client.approvals.list({ status: 'pending', limit: 1, offset: 0 }),
    (pending) => pending.length === 1,
    20_000,
  );
  return approval?.id ?? '';
}

async function remind(client: Client<Api>): Promise<void> {
  await client.notifications.send({
    title: 'Certificate expires',
    summary: 'The certificate of example.org expires on Friday.',
    link: '/platform',
  });
  await client.notifications.send({ title: '备份完成', summary: '所有数据已备份。' });
}
