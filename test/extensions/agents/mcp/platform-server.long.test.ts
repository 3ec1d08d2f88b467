import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import t from 'tap';
import { connectMcp as connect } from '../../../helpers/mcp-client.js';
import { callerOf, fixture, ownExtension, startPlatform } from '../../../helpers/platform.js';
import { administrator, onEachPlatform, someone } from '../../chat/world.js';

const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

t.test("the official client lists and calls tools as the token's member", async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http: ada, name, token: login } = await someone(t, platform);
    const { token } = await ada.tokens.create({ name: 'mcp', scopes: ['read', 'chat'] });
    for (const each of [login, token]) {
      const client = await connect(t, platform.url, each);
      const { tools } = await client.listTools();
      const list = tools.find((tool) => tool.name === 'members_list');
      t.match(list, {
        title: 'members.list',
        inputSchema: { type: 'object', properties: { keyword: {}, page: { type: 'integer' } } },
        outputSchema: { type: 'object', properties: { items: { type: 'array' } } },
        annotations: { readOnlyHint: true, destructiveHint: false },
      });
      const found = await client.callTool({ name: 'members_list', arguments: { keyword: name } });
      t.match(found.structuredContent, { items: [{ username: name }], total: 1 });
      t.same(JSON.parse((found.content as { text: string }[])[0]?.text ?? ''), found.structuredContent);
    }
  });
});

t.test('a failing tool returns its code and reason, and an unknown one is a protocol error', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = await connect(t, platform.url, (await someone(t, platform)).token);
    // From here on the client holds answers to their schemas.
    await client.listTools();
    const wrong = await client.callTool({ name: 'members_list', arguments: { page: 'x', page_size: 1000 } });
    t.match(wrong, { isError: true, _meta: { code: 'invalid_input', details: [{ path: 'page' }, { path: 'page_size' }] } });
    t.match((wrong.content as { text: string }[])[0]?.text, /\(invalid_input\)$/);
    const absent = await client.callTool({ name: 'members_get', arguments: { id: 999_999 } });
    t.match(absent, { isError: true, _meta: { code: 'member_not_found' } });
    await t.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), {
      code: -32_602,
      message: /This token has no tool 'no_such_tool'/,
    });
    await t.rejects(
      client.callTool({ name: 'auth_me', arguments: {} }),
      { code: -32_602 },
      'operations that are not marked as tools are not offered',
    );
  });
});

t.test('scopes and roles limit both the listed and the callable tools', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http: ada } = await someone(t, platform);
    const { token } = await ada.tokens.create({ name: 'chat only', scopes: ['chat'] });
    const client = await connect(t, platform.url, token);
    t.notMatch(await names(client), ['members_list']);
    await t.rejects(client.callTool({ name: 'members_list', arguments: {} }), { code: -32_602 });
    const adminTools = platform.kernel.host.neighbours.operations().filter(({ tool, who }) => tool && who === 'admin');
    const everything = await names(await connect(t, platform.url, (await someone(t, platform)).token));
    for (const { id } of adminTools) t.notOk(everything.includes(id.replaceAll('.', '_')), id);
  });
});

t.test("another member's session is not found", async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, eve] = [await someone(t, platform), await someone(t, platform)];
    const session = await ada.http.sessions.create({ title: 'secret', target_type: '', target_id: '' });
    const own = await connect(t, platform.url, ada.token);
    const client = await connect(t, platform.url, eve.token);
    const asked = { name: 'messages_list', arguments: { session_id: session.id } };
    t.match(await client.callTool(asked), { isError: true, _meta: { code: 'session_not_found' } });
    t.notOk((await own.callTool(asked)).isError);
  });
});

t.test('rejects unauthorised clients', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { token } = await someone(t, platform);
    const ask = async (headers: Record<string, string>, body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}') => {
      const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
      const answer = await fetch(`${platform.url}/api/mcp`, { method: 'POST', headers: { ...usual, ...headers }, body });
      return { status: answer.status, body: await answer.text() };
    };
    const known = { authorization: `Bearer ${token}` };
    t.equal((await ask(known)).status, 200);
    t.match(await ask({}), { status: 401, body: /"jsonrpc":"2.0".*"code":"unauthenticated"/ });
    t.match(await ask({ authorization: 'Bearer plat_wrong' }), { status: 401, body: /"code":"invalid_token"/ });
    await t.rejects(connect(t, platform.url, 'plat_wrong'), /invalid_token/);
    t.match(await ask({ ...known, origin: 'http://evil.example' }), { status: 403 });
    t.match(await ask(known, '{'), { status: 400, body: /-32700/ });
    const batch = JSON.stringify(Array.from({ length: 21 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })));
    t.match(await ask(known, batch), { status: 400, body: /at most 20/ });
    t.match(await ask(known, 'x'.repeat(2_000_000)), { status: 413 });
    const stream = await fetch(`${platform.url}/api/mcp`, { headers: known });
    t.same([stream.status, stream.headers.get('allow')], [405, 'POST']);
  });
});

t.test('disabling the extension agents makes the MCP endpoint unavailable until it is enabled', async (t) => {
  const extensions = [...['members', 'chat', 'agents'].map(ownExtension), fixture('hello')];
  const platform = await startPlatform(t, { extensions });
  const { token } = await administrator(platform).tokens.create({ name: 'mcp' });
  const client = await connect(t, platform.url, token);
  const before = await names(client);
  await platform.kernel.invoke('plugins.disable', { name: 'agents' }, callerOf());
  await t.rejects(client.listTools(), /extension_unavailable/);
  await platform.kernel.invoke('plugins.enable', { name: 'agents' }, callerOf());
  t.same(await names(client), before);
});
