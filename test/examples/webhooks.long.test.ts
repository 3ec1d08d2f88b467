import { createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Message, Session } from '../../extensions/chat/contract.js';
import { shellFor } from '../cli/shell.js';
import { eachPlatform } from '../helpers/cluster.js';
import { until } from '../helpers/eventually.js';
import { adminPassword, callerOf, startPlatform, type TestPlatform } from '../helpers/platform.js';
import { compiled, packed } from './world.js';

const id = 'acme.webhooks';
const settings = { 'plugins.trusted': [id] };

interface Hook {
  id: string;
  path: string;
  secret: string;
  session_id: string;
}

/** As the administrator. */
const asker =
  ({ kernel }: TestPlatform) =>
  async <Body>(operation: string, input: object = {}) =>
    (await kernel.invoke(operation, input, callerOf())).body as Body;

async function hookOf(platform: TestPlatform): Promise<Hook> {
  const ask = asker(platform);
  const { id: session_id } = await ask<Session>('sessions.create', { title: 'CI', target_type: '', target_id: '' });
  return ask<Hook>(`${id}.create`, { session_id, name: 'CI' });
}

function deliver({ url }: TestPlatform, { path, secret }: Hook, text: string): Promise<Response> {
  const body = JSON.stringify({ text });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return fetch(url + path, { method: 'POST', body, headers: { 'x-hub-signature-256': signature } });
}

const posted = (platform: TestPlatform, { session_id }: Hook) =>
  until(
    () => asker(platform)<Message[]>('messages.list', { session_id, limit: 50 }),
    ({ length }) => length > 0,
  );

t.test("the example's types are correct, and its own tests pass", async (t) => {
  t.equal(await compiled(id), '');
  const shell = await shellFor(t);
  const { code, stdout, stderr } = await shell.run(['extension', 'test', `${process.cwd()}/examples/${id}`]);
  t.match([code, stdout], [0, /# pass 9\n# fail 0\n/], stdout + stderr);
});

t.test('the installed plugin posts signed webhooks on each database, also after a restart', async (t) => {
  const zip = await packed(t, id);
  await eachPlatform(t, { strict: false, settings }, async (t, platform, again) => {
    await platform.kernel.workbench.install(zip);
    const hook = await hookOf(platform);
    t.equal((await deliver(platform, { ...hook, secret: 'wrong' }, 'Hello')).status, 401);
    const answer = await deliver(platform, hook, 'Build 7 is green');
    t.same([answer.status, await answer.json()], [202, { accepted: true, duplicate: false }]);
    t.match(await posted(platform, hook), [{ content: 'CI : Build 7 is green', sender_name: 'Inbound webhooks', role: 'user' }]);
    await platform.kernel.close();
    const next = await again();
    await until(
      () => deliver(next, hook, 'Build 8 is green'),
      ({ status }) => status === 202,
    );
    const texts = async () =>
      (await asker(next)<Message[]>('messages.list', { session_id: hook.session_id, limit: 50 })).map(({ content }) => content);
    t.same(await until(texts, ({ length }) => length > 1), ['CI : Build 7 is green', 'CI : Build 8 is green']);
  });
});

/** Returns the answer to `/call …` of an AI employee that asks nobody. */
async function called(platform: TestPlatform, content: string): Promise<Message['tool_calls'][number] | undefined> {
  const ask = asker(platform);
  const { id: target_id } = await ask<{ id: number }>('members.create_virtual', { name: 'Worker', mode: 'autonomous' });
  const { message_id } = await ask<{ message_id: string }>('chat.send', { content: `/call ${content}`, target_id });
  const { session_id } = await ask<Message>('messages.get', { message_id });
  const replied = () => ask<Message[]>('messages.list', { session_id, limit: 9 });
  const [, reply] = await until(replied, (all) => all[1] !== undefined && all[1].status !== 'pending' && all[1].status !== 'streaming');
  return reply?.tool_calls[0];
}

/** Where a plugin shows, each asked as people would. */
async function shown(t: Test, platform: TestPlatform): Promise<Record<string, boolean>> {
  const { kernel, url } = platform;
  const login = { username: 'admin', password: adminPassword };
  const { body } = await kernel.invoke('auth.login', login, callerOf({ member_id: 0 }));
  const { access_token } = body as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}` };
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
  const shell = await shellFor(t, { PLATFORM_URL: url, PLATFORM_TOKEN: access_token });
  const command = await shell.run(['x', id, 'list', '--json']);
  const ask = asker(platform);
  const tool = await called(platform, `${id}.list`);
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
  return {
    route: (await fetch(`${url}/api/x/${id}/hooks`, { headers })).status === 200,
    documentation: Object.keys(document.paths).includes(`/api/x/${id}/hooks`),
    command: command.code === 0,
    tool: tool?.error === null,
    metric: metrics.includes('platform_acme_webhooks_posted'),
    record: (await ask<{ name: string }[]>('plugins.list')).some(({ name }) => name === id),
  };
}

t.test("the plugin's operations appear everywhere without a restart and disappear when it is removed", async (t) => {
  const platform = await startPlatform(t, { strict: false, settings });
  await platform.kernel.workbench.install(await packed(t, id));
  const everywhere = await shown(t, platform);
  t.same(everywhere, { route: true, documentation: true, command: true, tool: true, metric: true, record: true });
  const document = (await (await fetch(`${platform.url}/openapi.json`)).json()) as { paths: object };
  t.match(document.paths, { '/api/admin/plugins/{name}/config': { get: Object, put: Object } });
  const told = await called(platform, `plugins.settings {"name":"${id}"}`);
  t.match([told?.error, told?.output], [null, /max_length/], "the plugin's settings are a tool for AI employees too");
  await platform.kernel.installer.uninstall(id, {});
  t.same(await shown(t, platform), Object.fromEntries(Object.keys(everywhere).map((key) => [key, false])));
});
