import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { countedFetch } from '../../../../extensions/agents/mcp/counted-fetch.js';

async function listen(t: Test, answer: (asked: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const asked = { method: 'POST', body: '{}', headers: { 'x-api-key': 'hunter2' } };

t.test('a redirect to another origin is not followed', async (t) => {
  const seen: unknown[] = [];
  const other = await listen(t, ({ headers }, response) => {
    seen.push(headers['x-api-key']);
    response.end();
  });
  const server = await listen(t, (_, response) => response.writeHead(307, { location: `${other}/mcp` }).end());
  await t.rejects(countedFetch(fetch)(`${server}/mcp`, asked), { message: `it redirects to ${other}, which is not followed` });
  t.same(seen, []);
});

t.test('redirects within the origin are followed, up to a limit', async (t) => {
  const server = await listen(t, ({ url, headers, method }, response) => {
    if (url === '/round') response.writeHead(308, { location: '/round' }).end();
    else if (url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
    else response.end(`${method} ${String(headers['x-api-key'])}`);
  });
  const ask = countedFetch(fetch);
  t.equal(await (await ask(`${server}/mcp`, asked)).text(), 'POST hunter2');
  await t.rejects(ask(`${server}/round`, asked), /more than 5 times/);
});

t.test('the size limit applies to each answer separately', async (t) => {
  const server = await listen(t, ({ url }, response) => response.end('x'.repeat(Number(url?.slice(1)))));
  const ask = async (size: number) => (await countedFetch(fetch)(`${server}/${size}`, asked)).text();
  t.same(
    (await Promise.all([10_000_000, 10_000_000].map(ask))).map(({ length }) => length),
    [10_000_000, 10_000_000],
  );
  await t.rejects(ask(17_000_000), /more than 16777216 bytes/);
});

/** Answers with these chunks as an event stream, which then ends. */
async function streamOf(chunks: readonly string[]): Promise<string> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  });
  const fetched = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const question = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call' }) };
  return (await countedFetch(fetched as typeof fetch)('http://127.0.0.1/mcp', question)).text();
}

t.test('a stream that ends early gets an error at its end, unless the SDK can resume it', async (t) => {
  const error = /"id":7,"error":\{"code":-32000,"message":"it ended its answer before it was complete"\}/;
  for (const chunks of [['data: {}\n\n'], ['data: a\ni', 'dle: 3\n\n'], ['data: x', 'id: 3\n\n'], []])
    t.match(await streamOf(chunks), error, JSON.stringify(chunks));
  for (const chunks of [
    ['id: 3\ndata: {}\n\n'],
    ['data: {}\nid: 3\n\n'],
    ['data: {}\ni', 'd: 3\n\n'],
    ['data: {}\r', 'i', 'd', ': 3\n\n'],
    ['id', ': 3\n\n'],
  ])
    t.equal(await streamOf(chunks), chunks.join(''), JSON.stringify(chunks));
});
