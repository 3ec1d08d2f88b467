import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { private_ranges, toNumber } from '../../extensions/nodes/work/walls/ranges.js';
import { createFetch } from '../../kernel/platform/net/guarded-fetch.js';
import { redirectRequest } from '../../kernel/platform/net/request.js';
import { metadataCases } from './outgoing/metadata.js';
import { redirectCases } from './outgoing/redirects.js';

interface Arrived {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers `/<status>/<port>` with a redirect to `/end` of that port, and keeps what arrives at `/end`. */
async function serve(t: Test): Promise<{ port: number; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const [, status, port] = (request.url ?? '').split('/');
    const { method, headers } = request;
    const body = await text(request);
    if (status !== 'end') return void response.writeHead(Number(status), { location: `http://127.0.0.1:${port}/end` }).end();
    arrived.push({ method, headers, body });
    response.end('arrived');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, arrived };
}

t.test('a redirect keeps or drops method, body and headers by the standard', async (t) => {
  const [here, there] = [await serve(t), await serve(t)];
  const fetch = createFetch({ allow: ['127.0.0.1'] });
  t.teardown(() => fetch.close());
  const web = fetch.web();
  for (const { name, status, method, away, headers, kept, arrives } of redirectCases) {
    const end = away ? there : here;
    const url = `http://127.0.0.1:${here.port}/${status}/${end.port}`;
    const request = { method, headers, ...(method === 'GET' ? {} : { body: 'sent' }) };
    await fetch(url, request);
    await (await web(url, request)).text();
    for (const [at, who] of ['a plugin or a webhook', 'a model'].entries()) {
      const seen = end.arrived.at(at - 2);
      t.match(seen, arrives, `${name}: ${who}`);
      t.same(
        Object.keys(headers).filter((header) => seen?.headers[header] === headers[header]),
        kept,
        `${name}: the headers of ${who}`,
      );
    }
  }
});

t.test('a redirect from http to https on the same host keeps the body and the credentials', async (t) => {
  const headers = new Headers({ authorization: 'Bearer secret' });
  const from = (url: string) => ({ url: new URL(url), method: 'POST', headers, body: 'sent' });
  t.match(redirectRequest(from('http://a.example/hook'), 308, 'https://a.example/hook'), { body: 'sent' });
  for (const [url, location] of [
    ['https://a.example/', 'http://a.example/'],
    ['http://a.example/', 'https://b.example/'],
    ['http://a.example:8080/', 'https://a.example/'],
    ['https://a.example/', 'https://a.example:8443/'],
  ] as const) {
    const next = redirectRequest(from(url), 308, location);
    t.equal(next.body, undefined, `${url} to ${location}`);
    t.equal(next.headers.get('authorization'), null);
  }
});

t.test('a metadata service is unreachable', async (t) => {
  const fetch = createFetch({ allow: [] });
  t.teardown(() => fetch.close());
  for (const { name, address } of metadataCases) {
    const host = isIPv4(address) ? address : `[${address}]`;
    await t.rejects(fetch(`http://${host}/`, { timeout_ms: 2_000 }), { code: 'fetch_address_refused' }, name);
    // IPv6 has no way out of a work container.
    if (isIPv4(address))
      t.ok(
        private_ranges.some((range) => isInside(address, range)),
        `${name}, from a work node`,
      );
  }
});

function isInside(address: string, range: string): boolean {
  const [base = '', bits] = range.split('/');
  const size = 2 ** (32 - Number(bits));
  return Math.floor(toNumber(address) / size) === Math.floor(toNumber(base) / size);
}
