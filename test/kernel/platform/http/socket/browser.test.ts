import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import t, { type Test } from 'tap';
import { until } from '../../../../helpers/eventually.js';
import { findPart, skipWithout } from '../../../../helpers/parts.js';
import { startWorld } from './world.js';

interface Seen {
  frames: { type: string; data: Record<string, unknown>; cursor?: string }[];
  closed?: { code: number; reason: string };
}

/** An empty page at an origin of its own. */
async function origin(t: Test): Promise<string> {
  const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Code of a page that opens a socket and records its events. */
const inPage = ({ address, first }: { address: string; first: string | undefined }) => {
  const seen: Seen = { frames: [] };
  const socket = new WebSocket(address);
  socket.onopen = () => first !== undefined && socket.send(first);
  socket.onmessage = ({ data }) => seen.frames.push(JSON.parse(String(data)) as Seen['frames'][number]);
  socket.onclose = ({ code, reason }) => {
    seen.closed = { code, reason };
  };
  Object.assign(globalThis, { seen, socket });
};

t.test('a browser page opens sockets if its origin may', { skip: skipWithout('chromium') }, async (t) => {
  const [allowed, other] = [await origin(t), await origin(t)];
  const world = await startWorld(t, { settings: { cors_origins: [allowed] } });
  const ann = await world.person('ann');
  const { program } = findPart('chromium') as { program: string };
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  const open = async (from: string, query: Record<string, string>, first?: object) => {
    const address = `${world.url.replace(/^http/, 'ws')}/ws?${new URLSearchParams(query).toString()}`;
    await page.goto(from);
    await page.evaluate(inPage, { address, first: first && JSON.stringify(first) });
  };
  const seen = () => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
  const send = (frame: object) =>
    page.evaluate((text) => (globalThis as unknown as { socket: WebSocket }).socket.send(text), JSON.stringify(frame));
  const get = async (type: string) => {
    const { frames } = await until(seen, (found) => found.frames.some((frame) => frame.type === type));
    return frames.find((frame) => frame.type === type);
  };

  await t.test('a page authenticates by a ticket, a token in the address and a first frame', async (t) => {
    const { ticket } = await world.ask<{ ticket: string }>('auth.ticket', {}, ann.token);
    await open(allowed, { ticket });
    t.match(await get('hello'), { data: { member_id: ann.id } });
    await open(allowed, { token: ann.token });
    t.match(await get('hello'), { data: { member_id: ann.id } });
    await open(allowed, {}, { type: 'auth', token: ann.token });
    t.match(await get('hello'), { data: { member_id: ann.id } });
    await send({ type: 'frames.say', id: 'a', data: { text: 'from a page' } });
    t.match(await get('ack'), { id: 'a' });
    await world.push({ members: [ann.id] }, { type: 'note', data: { text: 'é 漢字 😀' } });
    t.match(await get('note'), { data: { text: 'é 漢字 😀' } });
    const { cursor = '' } = (await get('note')) ?? {};
    await open(allowed, { token: ann.token, after: cursor });
    t.match(await get('hello'), { data: { resumed: true } });
  });

  await t.test('a page of another origin is rejected', async (t) => {
    await open(other, { token: ann.token });
    const { closed, frames } = await until(seen, (found) => found.closed !== undefined);
    t.same(closed, { code: 4001, reason: 'origin_refused' });
    t.match(frames, [{ type: 'error', data: { statusCode: 403, code: 'origin_refused' } }]);
  });

  await t.test('a page learns why its socket was closed', async (t) => {
    await open(allowed, { token: 'wrong' });
    t.same((await until(seen, (found) => found.closed !== undefined)).closed, { code: 4001, reason: 'invalid_token' });
    await open(allowed, { token: ann.token });
    await get('hello');
    await world.ask('members.reset_password', { id: ann.id, new_password: 'another secret' });
    t.same((await until(seen, (found) => found.closed !== undefined)).closed, { code: 4003, reason: 'revoked' });
  });
});
