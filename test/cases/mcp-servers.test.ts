import t, { type Test } from 'tap';
import { McpServer } from '../../extensions/agents/mcp/mcp-server.js';
import type { Tool } from '../../kernel/contract/index.js';
import { startMcpServer } from '../helpers/mcp-server.js';
import { callerOf } from '../helpers/platform.js';
import { type ServerCase, serverCases } from './mcp/servers.js';

/** An MCP server as the configuration names it. */
function open(t: Test, url: string): McpServer {
  const say = () => undefined;
  const server = new McpServer({
    settings: { name: 'own', tools: 'all', read_only: [], dangerous: [], url, headers: { 'x-key': 'k' } },
    log: { debug: say, info: say, warn: say, error: say },
    clock: { now: () => Date.now(), iso: () => '' },
    fetch: globalThis.fetch,
  });
  t.teardown(() => server.dispose());
  return server;
}

/** As a run calls it: the signal ends with the call. */
async function call(tool: Tool) {
  const ending = new AbortController();
  const result = await tool.call({ text: 'hi' }, { asker: callerOf(), node_id: null, signal: ending.signal, output: () => undefined });
  ending.abort();
  return result;
}

async function run(t: Test, { server: behaviour, tools: names = ['own__echo'], fault, gives = {}, seen = {} }: ServerCase): Promise<void> {
  const { url, seen: methods } = await startMcpServer(t, behaviour);
  const server = open(t, url);
  if (fault) {
    await t.rejects(server.tools(), { message: fault });
    return;
  }
  const tools = await server.tools();
  t.same(
    tools.map(({ name }) => name),
    names,
  );
  const [echo] = tools;
  if (echo) {
    const { output, error, images } = await call(echo);
    t.match(error ?? '', gives.error ?? /^$/);
    if (!gives.error) t.match(output, gives.output ?? 'Echo: hi');
    const shown = (images ?? []).map(({ mime_type, bytes }) => ({ mime_type, size: bytes.length }));
    t.same(shown, gives.images ?? []);
    // By the next answer a cancellation of the first call would have arrived.
    if ('notifications/cancelled' in seen) await call(echo);
  }
  await server.dispose();
  for (const [method, count] of Object.entries(seen)) t.equal(methods.filter((each) => each === method).length, count, method);
}

t.test('servers of many kinds work as tool servers', async (t) => {
  for (const each of serverCases) await t.test(each.name, (t) => run(t, each));
});
