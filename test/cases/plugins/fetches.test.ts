import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { ann } from '../../kernel/core/plugins/world.js';
import { failureOf, installSandboxed, pluginFolder, startSandboxed } from '../../kernel/platform/sandbox/world.js';
import { fetchCases } from './fetches.js';

const megabyte = Buffer.alloc(1024 * 1024, 'x');
/** Data on its way to the plugin lies in the plugin's memory, which is limited as well. */
const max_bytes = 3 * 1024 * 1024;
const large = Buffer.alloc(max_bytes, 'y');
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024), { level: 9 });

const answers: Readonly<Record<string, RequestListener>> = {
  '/endless': (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(megabyte));
    };
    response.on('drain', more);
    more();
  },
  '/loop': (_request, response) => void response.writeHead(302, { location: '/loop' }).end(),
  '/bomb': (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  '/headers': (_request, response) => {
    response.writeHead(200, Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`x-${n}`, 'a'.repeat(100)]))).end();
  },
  '/large': (_request, response) => void response.end(large),
};

async function serve(t: Test): Promise<string> {
  const usual: RequestListener = (_request, response) => void response.end('x'.repeat(100));
  const server = createServer((request, response) => (answers[request.url ?? ''] ?? usual)(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const activate = `
  const fetch = async ({ url, options, length }) => {
    const { status, body } = await ctx.fetch(url, options);
    return length ? body.length : status;
  };
  ctx.expose({ 'xx.fetch': op('fetch', { who: 'member' }), 'xx.many': op('many', { who: 'member' }) }, {
    'xx.fetch': async (input) => ({ status: await fetch(input) }),
    'xx.many': async ({ times, ...one }) => ({ ends: await Promise.all(Array.from({ length: times }, () => fetch({ ...one, length: true }).catch(({ code }) => code))) }),
  });`;

async function world(t: Test) {
  const platform = await startSandboxed(t, [], { strict: false, settings: { fetch_allow: ['127.0.0.1'] } });
  await installSandboxed(platform, await pluginFolder(t, activate), { permissions: { network: ['127.0.0.1:*'] } });
  const ask = (operation: string, input: object) =>
    platform.kernel.invoke(operation, input, ann).then(({ body }) => body as object, failureOf);
  return { ask, url: await serve(t) };
}

t.test("options of a plugin's fetch are validated and clamped", async (t) => {
  const { ask, url } = await world(t);
  for (const { name, url: asked, options, ends } of fetchCases) {
    const ended = await ask('xx.fetch', { url: asked.replace('{url}', url), options });
    t.match(ended, typeof ends === 'number' ? { status: ends } : { code: ends }, name);
  }
});

t.test('fifty large concurrent fetches end, and the server grows by less than 128 MB', async (t) => {
  const { ask, url } = await world(t);
  await ask('xx.many', { url: `${url}/`, times: 1 });
  const before = process.memoryUsage.rss();
  let max = before;
  const timer = setInterval(() => {
    max = Math.max(max, process.memoryUsage.rss());
  }, 5);
  t.teardown(() => clearInterval(timer));
  for (const [path, end] of [
    ['/large', large.length],
    ['/endless', 'fetch_too_large'],
  ] as const) {
    const { ends } = (await ask('xx.many', { url: url + path, times: 50, options: { timeout_ms: 100_000, max_bytes } })) as {
      ends: unknown[];
    };
    t.equal(ends.length, 50);
    t.same(
      ends.filter((one) => one !== end),
      [],
    );
  }
  t.ok(max - before < 128 * 1024 * 1024, `it grew by ${Math.round((max - before) / 2 ** 20)} MB`);
});
