import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { ToolUse } from '../../../../kernel/contract/index.js';
import { callTools, say } from '../../../helpers/model-server.js';
import type { PlatformOptions, TestPlatform } from '../../../helpers/platform.js';
import { administrator, login } from '../../chat/world.js';
import { agentsOf } from '../employment.js';
import { clientOf, errorOf, user } from '../openai/world.js';
import { ask, bring, pair, tool } from '../world.js';
import { node, onNode, taskOf, turn, withNodes } from './world.js';

const offlineResponder: PlatformOptions = { settings: { 'agents.model.base_url': '' } };

/** Brings the tool `run` to whoever works on a node, as nodes does; gives where each call ran. */
function bringRun(during: (use: ToolUse) => Promise<void> = async () => undefined): (number | null)[] {
  const ran: (number | null)[] = [];
  const run = tool(
    'run',
    async (_input, use) => {
      ran.push(use.node_id);
      await during(use);
      return { output: `ran on ${use.node_id}` };
    },
    { slash: { command: 'run', usage: '/run <command>', parse: (rest) => ({ command: rest }) } },
  );
  bring(({ node_id }) => (node_id === null ? [] : [run]));
  return ran;
}

const nameOf = async (platform: TestPlatform, id: number) => (await administrator(platform).members.get({ id })).username;

t.test("`/run` runs for members with a grant on the task's node, and tells others why not and what to do", async (t) => {
  await withNodes(
    t,
    async (t, { platforms: [one] }) => {
      const ran = bringRun();
      const { ada, target_id: free } = await pair(t, one, 'assistant');
      const admin = await login(t, one);
      const [online, other] = [node('online'), node('online')];
      const mine = await onNode(one, online, { users: 'admins' });
      const run = async (target_id: number, client: Parameters<typeof ask>[0] = ada.http) =>
        (await ask(client, { content: '/run ls', target_id })).reply.content;

      t.match(await run(free), /I have none\. .*--remote-node-id/);
      t.match(await run(mine), /I may not use my node for you\. .*node_users/);
      t.equal(await run(mine, admin), `ran on ${online}`);
      await agentsOf(one).update({ member_id: mine, node_users: [ada.id] });
      t.equal(await run(mine), `ran on ${online}`);
      t.match(await run(mine, admin), /I may not use my node for you/, 'a member without a grant is rejected');
      await agentsOf(one).update({ member_id: mine, fallback_node_ids: [other] });
      await turn(one, online, 'offline');
      t.equal(await run(mine), `ran on ${other}`);
      t.same(ran, [online, online, other]);
      const told = await ask(ada.http, { content: '/help', target_id: free });
      t.match(told.reply.content, /`\/run`: unavailable\. Running commands needs a node, and I have none/);
    },
    offlineResponder,
  );
});

t.test("a model gets a node's tools only for members with a grant", async (t) => {
  await withNodes(t, async (t, { model, platforms: [one] }) => {
    bringRun();
    const { ada } = await pair(t, one, 'assistant');
    const target_id = await onNode(one, node('offline'), { users: 'admins' });
    const toolsFor = async (client: Parameters<typeof ask>[0], content = randomUUID()) => {
      model.script(say('Well.'));
      await ask(client, { content, target_id });
      const asked = model.exchanges.findLast(({ body }) => body.messages.at(-1)?.content === content);
      return asked?.body.tools?.some(({ function: { name } }) => name === 'run');
    };
    t.equal(await toolsFor(ada.http), false, 'a member without a grant does not wait either');
    await turn(one, (await administrator(one).members.get({ id: target_id })).remote_node_id as number, 'online');
    t.equal(await toolsFor(await login(t, one)), true);
    const { token } = await (await login(t, one)).tokens.create({ name: 'chat', scopes: ['read', 'chat'] });
    model.script(say('Well.'));
    await clientOf(one, token).chat.completions.create({ model: await nameOf(one, target_id), messages: [user('Hi')] });
    t.notOk(
      model.exchanges.at(-1)?.body.tools?.some(({ function: { name } }) => name === 'run'),
      "an administrator's token without the scope admin counts as a member's",
    );
  });
});

t.test('a grant or node removed during a run is gone at the next call', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one, two] }) => {
    const { ada } = await pair(t, one, 'assistant');
    const online = node('online');
    const target_id = await onNode(one, online);
    const changes: (() => Promise<unknown>)[] = [
      async () => undefined,
      () => agentsOf(two).update({ member_id: target_id, node_users: [] }),
      () => agentsOf(one).update({ member_id: target_id, node_users: [ada.id] }),
      () => administrator(two).members.update({ id: target_id, remote_node_id: node('online') }),
    ];
    const ran = bringRun(async () => void (await changes.shift()?.()));
    const calls = Array.from({ length: 5 }, () => callTools([{ name: 'run', arguments: {} }]));
    model.script(...calls, say('Done.'));
    const { sent } = await ask(ada.http, { content: 'Run', target_id });
    t.match(await taskOf(ada.http, sent, { status: 'completed' }), { node_id: online });
    t.same(ran, [online, online, null, online, null]);
  });
});

t.test('at the OpenAI door requests do not wait for nodes but fail at once', async (t) => {
  await withNodes(
    t,
    async (t, { platforms: [one] }) => {
      bringRun();
      const { ada } = await pair(t, one, 'assistant');
      const { token } = await ada.http.tokens.create({ name: 'openai', scopes: ['read', 'chat'] });
      const client = clientOf(one, token);
      const [online, other] = [node('offline'), node('online', { draining: true })];
      const target_id = await onNode(one, online, { others: [other] });
      const name = await nameOf(one, target_id);
      const run = () => client.chat.completions.create({ model: name, messages: [user('/run ls')] });
      t.match(await errorOf(run()), { status: 503, code: 'node_offline', message: /Node \d+ of Vic is offline/ });
      await turn(one, online, 'online', { draining: true });
      t.match(await errorOf(run()), { status: 503, code: 'node_draining' });
      await turn(one, other, 'online');
      t.equal((await run()).choices[0]?.message.content, `ran on ${other}`);
      await agentsOf(one).update({ member_id: target_id, node_users: 'admins' });
      t.match((await run()).choices[0]?.message.content, /I may not use my node for you/);
      await turn(one, online, 'offline');
      t.match(
        (await run()).choices[0]?.message.content,
        /I may not use my node for you/,
        'a member without a grant gets the same answer while the node is offline',
      );
    },
    offlineResponder,
  );
});

t.test('reports a node that goes offline between the claim and the command', async (t) => {
  await withNodes(
    t,
    async (t, { platforms: [one] }) => {
      const { ada } = await pair(t, one, 'assistant');
      const online = node('online');
      const target_id = await onNode(one, online);
      bring(async ({ node_id }) => {
        await turn(one, node_id as number, 'offline', { silent: true });
        return [];
      });
      t.match((await ask(ada.http, { content: '/run ls', target_id })).reply.content, /brings no `\/run` to me/);
      await turn(one, online, 'online');
      bring([]);
      t.match((await ask(ada.http, { content: '/run ls', target_id })).reply.content, /My node \(\d+\) brings no `\/run` to me/);
    },
    offlineResponder,
  );
});
