import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { createFetch } from '../../../../kernel/platform/net/guarded-fetch.js';
import { until } from '../../../helpers/eventually.js';

/** A body of events takes another way through the client than any other: both must be the same to whoever reads. */
const types = ['text/event-stream; charset=utf-8', 'application/octet-stream'];

async function serve(t: Test, answer: (response: ServerResponse, path: string) => void) {
  const server = createServer((request, response) => answer(response, request.url ?? ''));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fetch = createFetch({ allow: [] });
  t.teardown(async () => {
    await fetch.close();
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, call: fetch.web([host]) };
}

for (const type of types) {
  t.test(`${type}: parts arrive as they are sent, in a standard response`, async (t) => {
    const begun: ServerResponse[] = [];
    const { url, call } = await serve(t, (response, path) => {
      if (path === '/old') return void response.writeHead(302, { location: '/new' }).end('data: moved\n\n');
      response.writeHead(200, { 'content-type': type, 'x-kind': 'test' });
      response.write('data: 1\n\n');
      begun.push(response);
    });
    const response = await call(`${url}/old`);
    t.match(response, { status: 200, statusText: 'OK', ok: true, url: `${url}/new`, redirected: true });
    t.equal(response.headers.get('x-kind'), 'test');
    const reader = response.body?.getReader();
    t.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'data: 1\n\n');
    begun[0]?.write('data: 2\n\n');
    t.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'data: 2\n\n');
    begun[0]?.end();
    t.match(await reader?.read(), { done: true });
  });

  t.test(`${type}: a body is read completely, compressed or not, long or empty`, async (t) => {
    const long = 'data: é\n\n'.repeat(200_000);
    const { url, call } = await serve(t, (response, path) => {
      const body = path === '/empty' ? '' : long;
      const packed = path === '/gzip' ? { 'content-encoding': 'gzip' } : {};
      response.writeHead(200, { 'content-type': type, ...packed }).end(path === '/gzip' ? gzipSync(body) : body);
    });
    for (const path of ['/plain', '/gzip']) t.ok((await (await call(url + path)).text()) === long, path);
    t.equal(await (await call(`${url}/empty`)).text(), '');
    t.equal((await call(url, { method: 'HEAD' })).status, 200);
  });

  t.test(`${type}: the server is slowed down until the body is read`, async (t) => {
    let sent = 0;
    const whole = 64 * 1_048_576;
    const { url, call } = await serve(t, async (response) => {
      response.writeHead(200, { 'content-type': type });
      for (; sent < whole; sent += 65_536) if (!response.write(Buffer.alloc(65_536, 'x'))) await once(response, 'drain');
      response.end();
    });
    const response = await call(url);
    const standing = async () => {
      const before = sent;
      await sleep(50);
      return sent > 0 && sent === before;
    };
    await until(standing, Boolean);
    t.ok(sent < whole / 2, `${sent} bytes were sent to a reader that had left`);
    let read = 0;
    for await (const part of response.body ?? []) read += (part as Uint8Array).byteLength;
    t.equal(read, whole);
  });

  t.test(`${type}: aborting or leaving closes the connection`, async (t) => {
    const closed: Promise<unknown>[] = [];
    const { url, call } = await serve(t, (response) => {
      closed.push(once(response, 'close'));
      response.writeHead(200, { 'content-type': type }).write('data: 1\n\n');
    });
    const controller = new AbortController();
    const reader = (await call(url, { signal: controller.signal })).body?.getReader();
    await reader?.read();
    const reading = async () => reader?.read();
    const next = reading();
    controller.abort(new Error('enough'));
    await t.rejects(next, { message: 'enough' });
    const leaver = (await call(url)).body?.getReader();
    await leaver?.read();
    await leaver?.cancel();
    t.match(await leaver?.read(), { done: true });
    await Promise.all(closed);
    t.equal(closed.length, 2);
  });

  t.test(`${type}: an interrupted response fails, while it is read and before`, async (t) => {
    const { url, call } = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': type }).write('data: 1\n\n');
      setTimeout(() => response.destroy(), 20);
    });
    const reader = (await call(url)).body?.getReader();
    await reader?.read();
    await t.rejects(async () => reader?.read(), { name: 'TypeError', message: 'terminated' });
    await t.rejects((await call(url)).text(), { name: 'TypeError', message: 'terminated' });
  });
}
