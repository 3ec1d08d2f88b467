import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { someone } from '../extensions/chat/world.js';
import { until } from '../helpers/eventually.js';
import { fixture, ownExtension, startPlatform } from '../helpers/platform.js';

const extensions = [...['members', 'chat', 'agents'].map(ownExtension), fixture('stepper')];

interface Connected {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** Answers' content types, in order. */
  types: (string | null)[];
}

async function connect(t: Test, url: string, { token, accept }: { token: string; accept?: string }): Promise<Connected> {
  const types: (string | null)[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      if (accept !== undefined) headers.set('accept', accept);
      const answer = await fetch(input, { ...init, headers });
      if (init?.method === 'POST' && answer.status === 200) types.push(answer.headers.get('content-type'));
      return answer;
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as Transport);
  t.teardown(() => client.close());
  return { client, transport, types };
}

const stopsOf = async (client: Client) =>
  ((await client.callTool({ name: 'stepper_stops', arguments: {} })) as CallToolResult).structuredContent as { stops: number };

t.test('the official client works with each form of answer', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const { url } = platform;
  const { token } = await someone(t, platform);

  await t.test('the official client receives rising progress', async (t) => {
    const { client } = await connect(t, url, { token });
    const heard: Progress[] = [];
    await client.callTool({ name: 'stepper_count', arguments: { to: 3 } }, undefined, { onprogress: (each) => void heard.push(each) });
    t.ok(heard.length > 0);
    t.match(heard[0], { message: /^counting/ });
    t.same(
      heard.map(({ progress }) => progress),
      heard.map((_, at) => at + 1),
      'progress only increases',
    );
  });

  await t.test('a client that accepts only JSON gets no event stream', async (t) => {
    const { client, types } = await connect(t, url, { token, accept: 'application/json' });
    t.ok((await client.listTools()).tools.length > 10);
    t.match((await client.callTool({ name: 'stepper_count', arguments: { to: 1 } })).structuredContent, { counted: 1 });
    t.same(
      types.filter((type) => !type?.startsWith('application/json')),
      [],
    );
  });

  await t.test('cancelling a call ends it on the platform, but no call of another client of the same member', async (t) => {
    const [first, second] = await Promise.all([connect(t, url, { token }), connect(t, url, { token })]);
    t.not(first.transport.sessionId, second.transport.sessionId);
    const cancel = new AbortController();
    const begun: number[] = [];
    const count = ({ client }: Connected, signal: AbortSignal) =>
      client.callTool({ name: 'stepper_count', arguments: { to: 11 } }, undefined, { signal, onprogress: () => void begun.push(1) });
    const other = new AbortController();
    const running = [count(first, cancel.signal), count(second, other.signal)];
    for (const each of running) each.catch(() => undefined);
    await until(
      () => begun.length,
      (steps) => steps > 2,
    );
    const { client } = await connect(t, url, { token });
    const before = (await stopsOf(client)).stops;
    cancel.abort();
    await t.rejects(running[0] as Promise<unknown>);
    await until(
      () => stopsOf(client),
      ({ stops }) => stops > before,
    );
    await pause(300);
    t.equal((await stopsOf(client)).stops, before + 1, "the other client's call continues");
    other.abort();
    await until(
      () => stopsOf(client),
      ({ stops }) => stops === before + 2,
    );
  });

  await t.test('a client that disconnects ends its call', async (t) => {
    const { client } = await connect(t, url, { token });
    const before = (await stopsOf(client)).stops;
    const leaving = await connect(t, url, { token });
    const begun: number[] = [];
    const running = leaving.client.callTool({ name: 'stepper_count', arguments: { to: 11 } }, undefined, {
      onprogress: () => void begun.push(1),
    });
    running.catch(() => undefined);
    await until(() => begun.length, Boolean);
    await leaving.client.close();
    await until(
      () => stopsOf(client),
      ({ stops }) => stops === before + 1,
    );
  });

  await t.test('an MCP session may be ended, and requests work without a session', async (t) => {
    const { client, transport } = await connect(t, url, { token });
    await transport.terminateSession();
    t.ok((await client.listTools()).tools.length > 10);
  });
});
