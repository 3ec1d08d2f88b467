import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { becomes } from '../../../helpers/eventually.js';
import { temporaryFolder } from '../../../helpers/platform.js';
import { find, hello } from './deeds.js';
import { open } from './raw.js';
import { following, Source } from './source.js';
import { type Deed, startWorld, type TestDoor, type World } from './world.js';

const connection_limits = { head_ms: 2_000, request_ms: 4_000, check_ms: 250, idle_ms: 3_000, stalled_ms: 3_000 };
const stream_limits = { stalled_ms: 3_000, tick_ms: 100 };
/** Limit for a body that is read into memory, whatever its size. */
const body_ms = 10_000;
/** Tolerance beyond a limit on a busy machine. */
const slack_ms = 1_500;

const megabyte = Buffer.alloc(2 ** 20, 'x');
const large = megabyte.toString().repeat(20);

async function* flood() {
  for (;;) yield { type: 'flood', data: { text: 'x'.repeat(10_000) } };
}

/** How often much was asked for, by whom. */
const begun: Record<string, number> = {};

const deeds: Record<string, Deed> = {
  ...hello,
  'slow.take': { summary: 'Takes', method: 'POST', path: '/api/slow', who: 'public', max_bytes: 64, does: () => undefined },
  'slow.upload': { summary: 'Takes a file', method: 'POST', path: '/api/slow/file', who: 'public', kind: 'upload', does: () => undefined },
  'slow.much': {
    ...find,
    path: '/api/slow/much',
    input: (j) => j.object({ of: j.string() }),
    does: async ({ of = 'one' }: { of?: string }) => {
      begun[of] = (begun[of] ?? 0) + 1;
      return { large };
    },
  },
  'slow.bytes': {
    summary: 'Bytes',
    method: 'GET',
    path: '/api/slow/bytes',
    who: 'public',
    kind: 'file',
    answer: (j) => j.any(),
    does: () => ({ mime_type: 'image/png', bytes: Buffer.concat(new Array(20).fill(megabyte)), etag: 'x' }),
  },
  'slow.follow': { ...following('/api/slow/stream', new Source()), does: flood },
};

const doors: readonly TestDoor[] = [
  {
    id: 'slow.door',
    summary: 'Never ends',
    path: '/api/slow/door',
    methods: ['GET'],
    handle: () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(megabyte) })),
  },
];

interface Slow {
  name: string;
  /** Sent at once. */
  first: string;
  /** Then sent byte by byte. */
  rest?: string;
  every_ms?: number;
  /** Whether what is answered is read. */
  reads?: boolean;
  within_ms: number;
  /** Expected answer before the connection ends; none if it is left out. */
  answered?: RegExp;
}

const authorized = 'Host: x\r\nAuthorization: Bearer member\r\n';
const { head_ms, request_ms, check_ms, idle_ms, stalled_ms } = connection_limits;
const timedOut = /^HTTP\/1\.1 408 .*"code":"request_timeout"/s;
const drip = 'x'.repeat(1_000);
const post = (path: string, more = '') => `POST ${path} HTTP/1.1\r\n${authorized}Content-Length: 60\r\n${more}\r\n`;
const unread = (name: string, path: string): Slow => ({
  name: `a client that never reads ${name}`,
  first: `GET ${path} HTTP/1.1\r\n${authorized}\r\n`,
  reads: false,
  within_ms: 2 * stalled_ms,
});

const slow: readonly Slow[] = [
  { name: 'a silent connection', first: '', within_ms: head_ms + check_ms, answered: timedOut },
  { name: 'half a head, then silence', first: 'GET / HTTP/1.1\r\nHo', within_ms: head_ms + check_ms, answered: timedOut },
  {
    name: 'a head that comes byte by byte',
    first: 'GET / HTTP/1.1\r\nHost: x\r\nX-Long: ',
    // Twice as long as a head may take.
    rest: drip,
    every_ms: 100,
    within_ms: head_ms + check_ms,
    answered: timedOut,
  },
  {
    name: 'a body that comes byte by byte',
    first: post('/api/slow', 'Content-Type: application/json\r\n'),
    rest: drip,
    every_ms: 300,
    within_ms: Math.min(body_ms, request_ms + check_ms),
    answered: timedOut,
  },
  {
    name: 'an upload that comes byte by byte',
    first: post('/api/slow/file', 'Content-Type: multipart/form-data; boundary=b\r\n'),
    rest: '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
    every_ms: 300,
    within_ms: request_ms + check_ms,
    answered: timedOut,
  },
  {
    name: 'a body that never arrives, after its answer',
    first: post('/nope'),
    within_ms: idle_ms + stalled_ms,
    answered: /^HTTP\/1\.1 404 /,
  },
  {
    name: 'an idle kept-alive connection',
    first: `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
    within_ms: idle_ms + stalled_ms,
    answered: /200 OK/,
  },
  unread('a stream', '/api/slow/stream'),
  unread('a large answer', '/api/slow/much'),
  unread('a download', '/api/slow/bytes'),
  unread('what a door writes', '/api/slow/door'),
  {
    name: 'a thousand requests at once whose answers nobody reads',
    first: `GET /api/slow/much?of=thousand HTTP/1.1\r\n${authorized}\r\n`.repeat(1_000),
    reads: false,
    within_ms: 2 * stalled_ms,
  },
  {
    name: 'as many requests as may wait, whose answers nobody reads',
    first: `GET /api/slow/much?of=hundred HTTP/1.1\r\n${authorized}\r\n`.repeat(100),
    reads: false,
    within_ms: 2 * stalled_ms,
  },
];

/** Plays one client; gives what it was answered and how long its connection lasted. */
async function play(port: number, { first, rest = '', every_ms = 0, reads = true }: Slow): Promise<{ text: string; lasted_ms: number }> {
  const socket = open({ port });
  const began = performance.now();
  let text = '';
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (reads) socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  await once(socket, 'connect');
  socket.write(first);
  const dripping = trickle(socket, rest, every_ms);
  // A socket that is not read doesn't see its end, but can't write any more either.
  if (!reads) void prod(socket);
  await closed;
  await dripping;
  return { text, lasted_ms: performance.now() - began };
}

async function trickle(socket: Socket, text: string, every_ms: number): Promise<void> {
  for (const byte of text) {
    await sleep(every_ms);
    if (socket.destroyed || socket.writableEnded) return;
    socket.write(byte);
  }
}

async function prod(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    await sleep(100);
    socket.write('\r\n');
  }
}

/** How long others wait meanwhile for an answer, at most. */
async function probe({ url }: World, signal: AbortSignal): Promise<{ asked: number; max_ms: number }> {
  const found = { asked: 0, max_ms: 0 };
  while (!signal.aborted) {
    const began = performance.now();
    const answer = await fetch(`${url}/api/hello/things/a`);
    if (answer.status !== 200) throw new Error(`Others got ${answer.status}`);
    await answer.text();
    found.asked += 1;
    found.max_ms = Math.max(found.max_ms, performance.now() - began);
    await sleep(50);
  }
  return found;
}

const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

async function world(t: Test, folder: string): Promise<World> {
  const made = await startWorld({ connection_limits, stream_limits, config: { uploads: folder } });
  t.teardown(() => made.http.close(1_000));
  await made.serve('slow', ['/api/slow', '/api/hello'], deeds, doors);
  return made;
}

t.test('slow clients of every kind are disconnected within their limits, block nobody, and leave nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const made = await world(t, folder);
  const before = sockets();
  const done = new AbortController();
  const probing = probe(made, done.signal);
  await Promise.all(
    slow.map(async (client) => {
      const { text, lasted_ms } = await play(made.port, client);
      t.ok(lasted_ms <= client.within_ms + slack_ms, `${client.name}: ended after ${Math.round(lasted_ms)} of ${client.within_ms} ms`);
      if (client.reads !== false) t.match(text, client.answered ?? /^$/, client.name);
    }),
  );
  done.abort();
  const { asked, max_ms } = await probing;
  t.ok(asked > 20, `others made ${asked} requests`);
  // Whoever waited for one of them would wait for its limit.
  t.ok(max_ms < 2_000, `others waited ${Math.round(max_ms)} ms at most`);
  await becomes(t, made.active, 0);
  await becomes(t, () => sockets() <= before + 1, true);
  t.same(begun, { one: 1, hundred: 1, thousand: 1 }, 'no request behind an unread answer is started');
  t.same(
    (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()),
    [],
  );
});

t.test('pipelined requests are answered in order', async (t) => {
  const { port } = await world(t, await temporaryFolder(t));
  const socket = open({ port });
  t.teardown(() => socket.destroy());
  const count = 100;
  const requests = Array.from({ length: count }, (_, n) => `GET /api/hello/things/n${n} HTTP/1.1\r\nHost: x\r\n\r\n`);
  socket.write(requests.join(''));
  let text = '';
  for await (const bytes of socket) {
    text += (bytes as Buffer).toString();
    if (text.includes(`{"name":"n${count - 1}"}`)) break;
  }
  const names = [...text.matchAll(/\{"name":"n(\d+)"\}/g)].map(([, n]) => Number(n));
  t.same(names, [...new Array(count).keys()]);
});
