import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { Inbox } from '../../../../kernel/platform/sandbox/inbox.js';
import { frame_bytes, pipe_bytes, streams_ahead_bytes } from '../../../../kernel/platform/sandbox/limits.js';
import { Outbox } from '../../../../kernel/platform/sandbox/outbox.js';
import { Peer, type PeerOptions } from '../../../../kernel/platform/sandbox/peer.js';
import { Streamed } from '../../../../kernel/platform/sandbox/requester.js';
import type { Incoming } from '../../../../kernel/platform/sandbox/responder.js';
import { becomes, until } from '../../../helpers/eventually.js';

/** Two ends of a local socket. */
async function socketPair(t: Test): Promise<[Socket, Socket]> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-peer-'));
  const server = createServer();
  server.listen(join(folder, 's'));
  await once(server, 'listening');
  const near = connect(join(folder, 's'));
  const [far] = (await once(server, 'connection')) as [Socket];
  t.teardown(async () => {
    near.destroy();
    far.destroy();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return [near, far];
}

interface Side {
  peer: Peer;
  socket: Socket;
  /** Why it was closed, once it is. */
  closed: (string | undefined)[];
}

function side(socket: Socket, options: Partial<PeerOptions> = {}): Side {
  const closed: (string | undefined)[] = [];
  const peer = new Peer(socket, {
    serve: () => undefined,
    notice: () => true,
    contextOf: () => (work) => work(),
    max_requests: 256,
    closed: (fault) => {
      closed.push(fault);
      return new Error(`gone: ${fault ?? 'closed'}`);
    },
    ...options,
  });
  return { peer, socket, closed };
}

/** Two peers in conversation; the far one serves. */
async function peers(t: Test, serve: PeerOptions['serve'], far: Partial<PeerOptions> = {}): Promise<{ near: Side; far: Side }> {
  const [a, b] = await socketPair(t);
  return { near: side(a), far: side(b, { serve, ...far }) };
}

/** A peer that talks with somebody who writes what it likes. */
async function rudePeer(t: Test): Promise<{ near: Side; rude: Socket }> {
  const [a, rude] = await socketPair(t);
  rude.on('error', () => {});
  return { near: side(a), rude };
}

const read = async (stream: unknown) => {
  const values: unknown[] = [];
  for await (const value of (stream as Streamed).events) values.push(value);
  return values;
};

t.test('messages of any length arrive whole, whatever they contain', async (t) => {
  const { near } = await peers(t, ({ params }) => params);
  const texts = [0, 1, 1_000, 65_000, 65_536, 70_000, 131_072, 3_000_000].map((length) => 'é"\\\n\u2028'.repeat(length / 5));
  const answers = await Promise.all(texts.map((text) => near.peer.request('echo', { text })));
  t.same(
    answers.map((answer) => (answer as { text: string }).text.length),
    texts.map(({ length }) => length),
  );
  t.ok(answers.every((answer, index) => (answer as { text: string }).text === texts[index]));
});

t.test('the size of all pending requests together is limited', async (t) => {
  const held: (() => void)[] = [];
  const serve = () => new Promise<void>((resolve) => held.push(resolve));
  const { near } = await peers(t, serve, { max_request_bytes: 30_000 });
  const text = 'x'.repeat(20_000);
  const first = near.peer.request('keep', { text: text + text });
  await until(() => held.length, Boolean);
  await t.rejects(near.peer.request('keep', { text }), { code: 'rate_limited', retry_after: 1 });
  held[0]?.();
  await first;
  const second = near.peer.request('keep', { text });
  await until(
    () => held.length,
    (count) => count === 2,
  );
  held[1]?.();
  await t.resolves(second);
});

t.test('messages are the same and in order at any chunk boundary', (t) => {
  const lengths = fc.array(fc.integer({ min: 2, max: 200_000 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(lengths, fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1 }), (sizes, cuts) => {
      const sent = sizes.map((size, index) => JSON.stringify(`${index}é${'x'.repeat(size)}`));
      const outbox = new Outbox();
      for (const line of sent) outbox.add(line, Buffer.byteLength(line), () => 'one lane');
      const bytes = Buffer.concat([...drain(outbox)]);
      const came: string[] = [];
      const inbox = new Inbox((text) => came.push(text));
      for (let at = 0, n = 0; at < bytes.length; n += 1) {
        const size = cuts[n % cuts.length] ?? 1;
        inbox.push(bytes.subarray(at, at + size));
        at += size;
      }
      t.same(came, sent);
      t.equal(outbox.queued, 0);
      t.ok(
        bytes
          .toString('latin1')
          .split('\n')
          .every(({ length }) => length < 65_536),
      );
    }),
    { numRuns: 50 },
  );
  t.end();
});

function* drain(outbox: Outbox): Generator<Buffer> {
  for (let batch = outbox.take(true); batch !== undefined; batch = outbox.take(true)) yield Buffer.from(batch as string);
}

t.test('a short message and a ping overtake a long one', async (t) => {
  const order: string[] = [];
  const { near } = await peers(t, ({ method }) => void order.push(method));
  const long = near.peer.request('long', { text: 'x'.repeat(12_000_000) });
  const answered = new Promise<void>((resolve) => near.peer.ping(resolve));
  await Promise.all([near.peer.request('short', {}), answered]);
  t.same(order, ['short']);
  await long;
  t.same(order, ['short', 'long']);
});

t.test('a long message is sent in chunks, so that short ones are not delayed', async (t) => {
  const { near, rude } = await rudePeer(t);
  let got = '';
  rude.setEncoding('latin1').on('data', (text: string) => (got += text));
  near.peer.notify('long', 'x'.repeat(1_000_000));
  await until(
    () => got.length,
    (length) => length >= pipe_bytes,
  );
  near.peer.request('short', {}).catch(() => undefined);
  await until(
    () => got,
    (text) => text.endsWith('{"type":"request","id":1,"method":"short","params":{}}\n'),
  );
  t.ok(got.length < pipe_bytes + 2 * frame_bytes, `${got.length} bytes came before the short message`);
  for (let told = 0; told < 1_000_000; told += 50_000) {
    await until(
      () => got.length,
      (length) => length >= told + 50_000,
    );
    rude.write('{"type":"taken","bytes":50000}\n');
  }
  await until(
    () => got.length,
    (length) => length > 1_000_000,
  );
  t.same(near.closed, []);
});

t.test('an oversized message is rejected with a sentence, and the connection continues', async (t) => {
  const { near } = await peers(t, ({ method }) => (method === 'much' ? 'x'.repeat(17_000_000) : 'well'));
  await t.rejects(near.peer.request('give', 'x'.repeat(17_000_000)), {
    code: 'payload_too_large',
    message: /^The parameters of 'give' are too long: it has 170000\d\d bytes; the limit is 16777216$/,
  });
  await t.rejects(near.peer.request('much', {}), {
    code: 'internal_error',
    message: /^The answer of 'much' is too long: it has 170000\d\d bytes/,
  });
  t.equal(await near.peer.request('well', {}), 'well');
});

const wrong: Record<string, string | Buffer> = {
  'no JSON': 'hello\n',
  'an empty line': '\n',
  'no object': '[]\n',
  'no type': '{}\n',
  'a type of another world': '{"type":"constructor"}\n',
  'no number': '{"type":"answer"}\n',
  'a number that is none': '{"type":"answer","id":-1}\n',
  'a failure without its code': '{"type":"failure","id":1,"thrown":{"failure":{}}}\n',
  'a failure of another status': '{"type":"failure","id":1,"thrown":{"failure":{"code":"a","message":"b","status":200}}}\n',
  'a credit of nothing': '{"type":"credit","id":1,"bytes":"much"}\n',
  'a request without a method': '{"type":"request","id":1}\n',
  'a line without end': 'x'.repeat(70_000),
  'a line that is too long': `{"type":"ping","pad":"${'x'.repeat(66_000)}"}\n`,
  'a piece without a number': '+ x\n',
  'a piece of no number': '+a x\n',
  'pieces of no JSON': '+1 {"type"\n=1 x\n',
  'too many open messages': Array.from({ length: 600 }, (_, n) => `+${n} x\n`).join(''),
  'a message without end': `+1 ${'x'.repeat(65_000)}\n`.repeat(300),
  'two requests with one number': '{"type":"request","id":1,"method":"wait"}\n'.repeat(2),
  'random bytes': Buffer.concat([randomBytes(5_000), Buffer.from('\n')]),
};

for (const [what, bytes] of Object.entries(wrong)) {
  t.test(`a peer that sends ${what} is given up`, async (t) => {
    const [a, rude] = await socketPair(t);
    rude.on('error', () => {});
    const near = side(a, { serve: () => new Promise(() => undefined) });
    const pending = near.peer.request('ask', {});
    rude.write(bytes);
    await t.rejects(pending, { message: /^gone: it (sent an invalid frame|made two requests)/ });
    t.equal(near.closed.length, 1);
    await t.rejects(near.peer.request('ask', {}), { message: /^gone/ });
  });
}

t.test('messages without a request are dropped, and a flood of them ends the connection', async (t) => {
  const { near, rude } = await rudePeer(t);
  const stray = ['{"type":"answer","id":99}', '{"type":"event","id":99}', '{"type":"end","id":9}', '{"type":"credit","id":9,"bytes":5}'];
  rude.write(`${[...stray, '{"type":"abort","id":9,"reason":"x"}', '{"type":"leave","id":9}', '{"type":"pong"}'].join('\n')}\n`);
  const asked = near.peer.request('ask', {});
  rude.write('{"type":"answer","id":1,"value":"still here"}\n{"type":"answer","id":1,"value":"twice"}\n');
  t.equal(await asked, 'still here');
  t.same(near.closed, []);
  rude.write('{"type":"answer","id":99}\n'.repeat(11_000));
  await becomes(t, () => near.closed, ['it floods its pipe with unexpected messages']);
});

t.test('more concurrent requests than agreed end the connection', async (t) => {
  const [a, rude] = await socketPair(t);
  rude.on('error', () => {});
  const near = side(a, { serve: () => new Promise(() => undefined) });
  rude.write(Array.from({ length: 257 }, (_, id) => `{"type":"request","id":${id + 1},"method":"wait"}\n`).join(''));
  await becomes(t, () => near.closed, ['it made more than 256 requests at once']);
});

t.test('a peer that sends requests and never reads is given up before it costs memory', async (t) => {
  const [a, rude] = await socketPair(t);
  rude.on('error', () => {});
  const near = side(a, { serve: () => 'x'.repeat(1_000_000) });
  rude.pause();
  let max = 0;
  for (let id = 1; id < 40_000 && near.closed.length === 0; id += 50) {
    rude.write(Array.from({ length: 50 }, (_, n) => `{"type":"request","id":${id + n},"method":"give"}\n`).join(''));
    await turn();
    max = Math.max(max, near.socket.writableLength + near.peer.queued);
  }
  t.match(near.closed, [/unexpected messages|does not read/]);
  t.ok(max < 100_000_000, `${max} bytes waited at the most`);
});

t.test('an abort and its reason are transmitted before and during the work', async (t) => {
  const seen: unknown[] = [];
  const serve = async ({ signal }: Incoming) => {
    if (!signal.aborted) await once(signal, 'abort');
    seen.push(signal.reason);
    return 'aborted';
  };
  const { near } = await peers(t, serve);
  const controller = new AbortController();
  const asked = near.peer.request('wait', {}, { signal: () => controller.signal });
  await turn();
  controller.abort('replaced');
  t.equal(await asked, 'aborted');
  t.equal(await near.peer.request('wait', {}, { signal: () => AbortSignal.abort(new TypeError('enough')) }), 'aborted');
  t.match(seen, ['replaced', { name: 'TypeError', message: 'enough' }]);
});

t.test('a request is aborted at its time limit, and the peer is notified', async (t) => {
  const aborted: unknown[] = [];
  const { near } = await peers(t, async ({ signal }) => {
    await once(signal, 'abort');
    aborted.push((signal.reason as Error).message);
    return 'late';
  });
  const limit = { ms: 20, fault: () => new Error('too slow') };
  await t.rejects(near.peer.request('wait', {}, { limit }), { message: 'too slow' });
  await becomes(t, () => aborted, ['too slow']);
  t.equal(near.peer.inProgress, 0);
});

t.test('a stream starts when it is read, and its end, fault and answer are transmitted', async (t) => {
  let began = 0;
  async function* count(fault?: Error) {
    began += 1;
    yield 1;
    yield { two: [2] };
    if (fault) throw fault;
  }
  const { near } = await peers(t, ({ method }) => new Streamed('head', count(method === 'broken' ? new RangeError('broke') : undefined)));
  const stream = (await near.peer.request('well', {})) as Streamed;
  await turn();
  t.equal(stream.value, 'head');
  t.equal(began, 0, 'nothing ran before the first read');
  t.same(await read(stream), [1, { two: [2] }]);
  const broken = (await near.peer.request('broken', {})) as Streamed;
  await t.rejects(read(broken), { name: 'RangeError', message: 'broke' });
  t.equal(near.peer.inProgress, 0);
});

t.test('a source runs no further ahead than its window', async (t) => {
  let made = 0;
  async function* endless() {
    for (;;) {
      made += 1;
      yield { n: made, pad: 'x'.repeat(10_000) };
    }
  }
  const { near } = await peers(t, () => new Streamed(undefined, endless()));
  const { events } = (await near.peer.request('endless', {})) as Streamed;
  const reader = events[Symbol.asyncIterator]();
  t.match(await reader.next(), { value: { n: 1 } });
  await until(
    () => made,
    (count) => count > 5,
  );
  for (let n = 0; n < 50; n += 1) await turn();
  t.ok(made < 12, `${made} events of 10 kB are ahead of a reader that took one`);
  for (let n = 2; n <= 500; n += 1) t.match(await reader.next(), { value: { n } });
  t.ok(made < 512);
  await reader.return?.();
});

t.test('a peer writes only as much as there is room for, however many streams wait', async (t) => {
  let [max, inTurn, over] = [0, 0, false];
  const next = () => {
    inTurn = 0;
    if (!over) setImmediate(next);
  };
  const text = 'x'.repeat(50_000);
  const event = {
    toJSON() {
      inTurn += 1;
      max = Math.max(max, inTurn);
      return text;
    },
  };
  async function* some() {
    for (let n = 0; n < 10; n += 1) yield event;
  }
  const { near } = await peers(t, () => new Streamed(undefined, some()));
  const opened = await Promise.all(Array.from({ length: 100 }, () => near.peer.request('some', {})));
  next();
  const all = await Promise.all(opened.map(read));
  over = true;
  t.ok(
    all.every((events) => events.length === 10 && events.every((one) => one === text)),
    'each has all of its events',
  );
  t.ok(max * text.length <= 2 * streams_ahead_bytes, `${max} events of 50 kB in a turn`);
});

t.test('a reader that leaves ends the source and waits for that', async (t) => {
  const notes: string[] = [];
  async function* forever() {
    try {
      for (let n = 0; ; n += 1) {
        yield n;
        await turn();
      }
    } finally {
      await turn();
      notes.push('closed');
    }
  }
  const { near, far } = await peers(t, () => new Streamed(undefined, forever()));
  for await (const n of ((await near.peer.request('forever', {})) as Streamed).events) if (n === 3) break;
  t.same(notes, ['closed']);
  const unread = (await near.peer.request('forever', {})) as Streamed;
  await unread.events[Symbol.asyncIterator]().return?.();
  t.same(notes, ['closed'], 'a generator that was never started has nothing to close');
  t.equal(near.peer.inProgress + far.peer.inProgress, 0);
});

t.test('a reader that leaves during a wait is released', async (t) => {
  const { near } = await peers(t, () => new Streamed(undefined, { [Symbol.asyncIterator]: () => silent }));
  const left: string[] = [];
  const silent: AsyncIterator<unknown> = {
    next: () => new Promise((resolve) => left.push('asked') && waiting.push(resolve)),
    return: async () => {
      left.push('left');
      for (const resolve of waiting) resolve({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
  };
  const waiting: ((step: IteratorResult<unknown>) => void)[] = [];
  const reader = ((await near.peer.request('silent', {})) as Streamed).events[Symbol.asyncIterator]();
  const next = reader.next();
  await until(
    () => left,
    ({ length }) => length === 1,
  );
  await reader.return?.();
  t.same(await next, { done: true, value: undefined });
  t.same(left, ['asked', 'left']);
});

t.test('an event that is too long fails its stream and closes its source', async (t) => {
  let closed = false;
  async function* long() {
    try {
      yield 'short';
      yield 'x'.repeat(300_000);
    } finally {
      closed = true;
    }
  }
  const { near } = await peers(t, () => new Streamed(undefined, long()));
  const stream = (await near.peer.request('long', {})) as Streamed;
  await t.rejects(read(stream), { code: 'internal_error', message: /too long/ });
  await becomes(t, () => closed, true);
});

t.test('a peer that sends more of a stream than requested is given up', async (t) => {
  const { near, rude } = await rudePeer(t);
  const asked = near.peer.request('stream', {});
  rude.write('{"type":"answer","id":1,"stream":true}\n');
  const { events } = (await asked) as Streamed;
  rude.write(`{"type":"event","id":1,"value":"${'x'.repeat(60_000)}"}\n`.repeat(10));
  await becomes(t, () => near.closed, ['it sent more of a stream than requested']);
  const reader = events[Symbol.asyncIterator]();
  const rest = async () => {
    for (let n = 0; n < 20; n += 1) await reader.next();
  };
  await t.rejects(rest(), { message: /gone/ });
});

t.test('a stream opened during a call ends with it, and none opens later', async (t) => {
  const [a, b] = await socketPair(t);
  const closed: string[] = [];
  const open = async function* ({ signal }: Incoming) {
    try {
      yield 'first';
      await once(signal, 'abort');
    } finally {
      closed.push('closed');
    }
  };
  let opens = () => {};
  const near = side(a, {
    serve: async (request) => {
      if (request.method === 'late') await new Promise<void>((resolve) => (opens = resolve));
      const events = open(request)[Symbol.asyncIterator]();
      // As the kernel does for who leaves: a generator that waits does not see it.
      const leave = async () => {
        request.abort('left');
        return events.return(undefined);
      };
      return new Streamed(undefined, { [Symbol.asyncIterator]: () => ({ next: () => events.next(), return: leave }) });
    },
  });
  const outcomes: Promise<unknown>[] = [];
  let first: unknown;
  const far: Side = side(b, {
    serve: async ({ id }) => {
      const { events } = (await far.peer.request('open', {}, { within: id })) as Streamed;
      const reader = events[Symbol.asyncIterator]();
      first = (await reader.next()).value;
      const late = far.peer.request('late', {}, { within: id });
      outcomes.push(reader.next().catch(String), late.catch(String));
      await turn();
      return 'done';
    },
  });
  t.equal(await near.peer.request('call', {}), 'done');
  opens();
  t.equal(first, 'first');
  const over = 'Failure: The call during which this stream was opened has ended';
  t.same(await Promise.all(outcomes), [over, over]);
  t.same(closed, ['closed']);
  const own = (await far.peer.request('open', {}, { within: 1 })) as Streamed;
  t.same(await own.events[Symbol.asyncIterator]().next(), { done: false, value: 'first' }, 'a stream opened outside of a call continues');
});

t.test('when the peer is gone, requests fail, streams end and sources are closed', async (t) => {
  const notes: string[] = [];
  async function* forever() {
    try {
      for (;;) {
        yield 1;
        await turn();
      }
    } finally {
      notes.push('source closed');
    }
  }
  const serve = async ({ method, signal }: Incoming) => {
    if (method === 'stream') return new Streamed(undefined, forever());
    signal.addEventListener('abort', () => notes.push('request aborted'));
    return new Promise(() => undefined);
  };
  const { near, far } = await peers(t, serve);
  const asked = near.peer.request('wait', {});
  const stream = (await near.peer.request('stream', {})) as Streamed;
  const all = read(stream);
  await turn();
  near.socket.destroy();
  await t.rejects(asked, { message: 'gone: closed' });
  await t.rejects(all, { message: 'gone: closed' });
  await becomes(t, () => notes.sort(), ['request aborted', 'source closed']);
  t.same(far.closed, [undefined]);
});
