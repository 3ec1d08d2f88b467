import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t, { type Test } from 'tap';
import { fail } from '../../../kernel/contract/failure.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';
import type { HttpOptions } from '../../../kernel/http/http.js';
import { becomes, until } from '../../helpers/eventually.js';
import { hello, member } from './deeds.js';
import { open } from './raw.js';
import { Reader } from './reader.js';
import { type Deed, startWorld, type World } from './world.js';

/** A source of events that a test feeds by hand, and that tells whether it was let go. */
class Source {
  readonly #waiting: StreamEvent[] = [];
  readonly #wakes = new Set<() => void>();
  #done = false;
  given = 0;
  returned = 0;

  push(...events: StreamEvent[]): void {
    this.#waiting.push(...events);
    this.#wake();
  }

  end(): void {
    this.#done = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }

  async *read(signal: AbortSignal): AsyncGenerator<StreamEvent> {
    signal.addEventListener('abort', () => this.#wake());
    try {
      while (!signal.aborted) {
        const event = this.#waiting.shift();
        if (event) {
          this.given++;
          yield event;
        } else if (this.#done) return;
        else await new Promise<void>((resolve) => this.#wakes.add(resolve));
      }
    } finally {
      this.returned++;
    }
  }
}

const following = (path: string, source: Source): Deed => ({
  summary: 'Follows a source',
  method: 'GET',
  path,
  who: 'member',
  kind: 'stream',
  input: (j) => j.object({ after: j.string(), token: j.string() }),
  does: (_input, { signal }) => source.read(signal),
});

async function world(t: Test, stream_limits: HttpOptions['stream_limits'] = {}): Promise<World & { source: Source }> {
  const made = await startWorld({ stream_limits });
  const source = new Source();
  t.teardown(() => made.http.close(1_000));
  await made.serve('live', ['/api/live'], { 'live.follow': following('/api/live', source) });
  return { ...made, source };
}

const delta = (number: number): StreamEvent => ({ id: `s.1.${number}`, type: 'message.delta', data: { seq: number } });

t.test('a stream opens at once, tells when to come back, and gives its events as they come', async (t) => {
  const { url, source } = await world(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  t.equal(reader.response.status, 200);
  t.match(Object.fromEntries(reader.response.headers), {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': /./,
    'x-content-type-options': 'nosniff',
  });
  t.notOk(reader.response.headers.has('content-encoding'));
  await becomes(t, () => reader.retries, [3000]);
  source.push(delta(1));
  await becomes(t, () => reader.events, [{ id: 's.1.1', event: 'message.delta', data: { type: 'message.delta', seq: 1 } }]);
  source.push({ type: 'two\nlines', data: { text: 'a\nb\u2028c' } });
  await becomes(t, () => reader.events.at(-1), { event: 'two lines', data: { type: 'two\nlines', text: 'a\nb\u2028c' } });
  source.end();
  await reader.finished;
  t.equal(reader.ended, 'end');
  t.equal(source.returned, 1);
});

t.test('what falls into one tick is one write', async (t) => {
  const { url, source } = await world(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  await becomes(t, () => reader.reads, 1);
  source.push(...Array.from({ length: 200 }, (_, number) => delta(number)));
  await becomes(t, () => reader.events.length, 200);
  t.ok(reader.reads <= 3, `${reader.reads} reads`);
});

t.test('the cursor comes from the header before the query', async (t) => {
  const { url, serve } = await world(t);
  const asked: unknown[] = [];
  const deed = following('/api/live', new Source());
  await serve('live', ['/api/live'], {
    'live.follow': {
      ...deed,
      does: async function* (input: object) {
        asked.push(input);
        yield delta(1);
      },
    },
  });
  for (const [query, header] of [
    ['', ''],
    ['?after=a', ''],
    ['?after=a', 'b'],
    ['', 'b'],
  ] as const) {
    const reader = await Reader.open(`${url}/api/live${query}`, { ...member, ...(header === '' ? {} : { 'last-event-id': header }) });
    await reader.finished;
  }
  t.same(asked, [{}, { after: 'a' }, { after: 'b' }, { after: 'b' }]);
});

t.test('a stream takes the header before a ticket before a token, and they are no input', async (t) => {
  const { url, serve } = await world(t);
  await serve('live', ['/api/live'], {
    'live.follow': {
      ...following('/api/live', new Source()),
      does: async function* (input: object, { caller }) {
        yield { type: 'who', data: { input, token_id: caller.token_id } };
      },
    },
  });
  const who = async (query: string, headers: Record<string, string> = {}) => {
    const reader = await Reader.open(`${url}/api/live${query}`, headers);
    if (reader.response.status !== 200) return reader.response.status;
    await reader.finished;
    return reader.events[0]?.data;
  };
  t.same(await who('?token=member'), { type: 'who', input: {}, token_id: 't7' });
  t.same(await who('?token=member&ticket=ticket'), { type: 'who', input: {}, token_id: 'ticket' });
  t.same(await who('?token=no&ticket=no', { authorization: 'Bearer admin' }), { type: 'who', input: {}, token_id: 't1' });
  for (const query of ['', '?token=no', '?ticket=no', '?token=', '?token=member&token=member', '?ticket=no&token=member'])
    t.equal(await who(query), 401, query);
});

t.test('a fault before the stream is an ordinary answer, one within it an event and the end', async (t) => {
  const { url, serve, lines, active } = await world(t);
  const deed = following('/api/live', new Source());
  const late = (path: string, fault: unknown): Deed => ({
    ...deed,
    path,
    does: async function* () {
      yield delta(1);
      throw fault;
    },
  });
  await serve('live', ['/api/live'], {
    'live.missing': { ...deed, path: '/api/live/missing', does: () => Promise.reject(fail('not_found', 'There is no message 5')) },
    'live.late': late('/api/live/late', fail('rate_limited', 'Too much')),
    'live.bug': late('/api/live/bug', new TypeError('secret')),
    'live.json': {
      ...deed,
      path: '/api/live/json',
      does: async function* () {
        yield { type: 'big', data: { n: 1n } };
      },
    },
  });
  const missing = await fetch(`${url}/api/live/missing`, { headers: member });
  t.match([missing.status, await missing.json()], [404, { code: 'not_found', message: 'There is no message 5' }]);
  t.equal((await fetch(`${url}/api/live/missing`, { method: 'HEAD', headers: member })).status, 405);

  const reader = await Reader.open(`${url}/api/live/late`, member);
  await reader.finished;
  t.match(reader.events[1], { event: 'error', data: { type: 'error', code: 'rate_limited', message: 'Too much', request_id: /./ } });
  for (const path of ['bug', 'json']) {
    const buggy = await Reader.open(`${url}/api/live/${path}`, member);
    await buggy.finished;
    t.match(buggy.events.at(-1), { event: 'error', data: { code: 'internal_error' } });
    t.notMatch(JSON.stringify(buggy.events), /secret|BigInt/);
  }
  t.match(lines, [
    { level: 'warn', fields: { fault: { message: 'secret' } } },
    { level: 'warn', fields: { fault: /BigInt/ } },
  ]);
  t.equal(active(), 0);
});

t.test('a quiet stream is kept alive by comments', async (t) => {
  const { url } = await world(t, { heartbeat_ms: 60, tick_ms: 20 });
  const reader = await Reader.open(`${url}/api/live`, member);
  await until(
    () => reader.comments,
    (comments) => comments >= 3,
  );
  t.equal(reader.events.length, 0);
});

t.test('a client that leaves lets go of the events', async (t) => {
  const { url, source } = await world(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  source.push(delta(1));
  await becomes(t, () => reader.events.length, 1);
  reader.leave();
  await becomes(t, () => source.returned, 1);
});

t.test('a client that leaves before its stream has begun lets go of it too', async (t) => {
  const { url, serve } = await world(t);
  const source = new Source();
  let asked = 0;
  await serve('live', ['/api/live'], {
    'live.follow': {
      ...following('/api/live', source),
      does: async (_input, { signal }) => {
        asked++;
        await once(signal, 'abort');
        return source.read(signal);
      },
    },
  });
  const abort = new AbortController();
  const asking = fetch(`${url}/api/live`, { headers: member, signal: abort.signal });
  await becomes(t, () => asked, 1);
  abort.abort();
  await t.rejects(asking);
  const figures = async () => /platform_http_streams (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
  await becomes(t, figures, '0');
});

t.test('a reader that does not read is cut, and meanwhile nothing is buffered without end', async (t) => {
  const { port, serve, lines } = await world(t, { stalled_ms: 400, tick_ms: 20 });
  let given = 0;
  let returned = 0;
  await serve('live', ['/api/live'], {
    'live.flood': {
      ...following('/api/live', new Source()),
      does: async function* () {
        try {
          for (;;) {
            given++;
            yield { type: 'flood', data: { text: 'x'.repeat(10_000) } };
          }
        } finally {
          returned++;
        }
      },
    },
  });
  const socket = open({ port });
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.write('GET /api/live HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\n\r\n');
  socket.pause();
  await sleep(200);
  const before = given;
  const memory = process.memoryUsage().rss;
  await sleep(150);
  t.equal(given, before, 'the source rests while nobody reads');
  t.ok(process.memoryUsage().rss - memory < 16 * 1024 * 1024);
  t.ok(given * 10_000 < 32 * 1024 * 1024, `${given} events were taken: what the two sockets hold`);
  await becomes(t, () => returned, 1);
  t.match(lines, [{ level: 'warn', message: /does not read/, fields: { member_id: 7 } }]);
});

t.test('a slow reader that reads gets everything, in order', async (t) => {
  const { port, serve } = await world(t);
  await serve('live', ['/api/live'], {
    'live.flood': {
      ...following('/api/live', new Source()),
      does: async function* () {
        for (let number = 0; number < 600; number++) yield { type: 'flood', data: { number, text: 'x'.repeat(10_000) } };
      },
    },
  });
  const socket = open({ port });
  t.teardown(() => socket.destroy());
  socket.write('GET /api/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer member\r\n\r\n');
  let text = '';
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString();
    if (text.length % 7 === 0) await sleep(1);
  }
  // A chunk's header may stand between the digits of a number, so the frames of the body are joined first.
  const numbers = [...unchunked(text).matchAll(/"number":(\d+)/g)].map(([, number]) => Number(number));
  t.same(
    numbers,
    Array.from({ length: 600 }, (_, number) => number),
  );
});

t.test('disconnecting a member ends its streams at once, of one token only where that is asked', async (t) => {
  const { url, http, source } = await world(t);
  const streams = {
    mia: await Reader.open(`${url}/api/live`, member),
    miaByTicket: await Reader.open(`${url}/api/live?ticket=ticket`),
    ada: await Reader.open(`${url}/api/live`, { authorization: 'Bearer admin' }),
  };
  const ended = () => Object.entries(streams).flatMap(([name, { ended }]) => (ended === undefined ? [] : [name]));
  http.disconnect({ member_id: 7, token_id: 'ticket' });
  await becomes(t, ended, ['miaByTicket']);
  t.same(streams.miaByTicket.events, [{ event: 'revoked', data: { type: 'revoked', reason: 'revoked' } }]);
  http.disconnect({ member_id: 7 });
  await becomes(t, ended, ['mia', 'miaByTicket']);
  http.disconnect({ member_id: 99 });
  source.push(delta(1));
  await becomes(t, () => streams.ada.events.length, 1);
  t.same(ended(), ['mia', 'miaByTicket']);
});

t.test('who is disconnected while a stream opens gets none', async (t) => {
  const { url, http, serve } = await world(t);
  const source = new Source();
  let asked = 0;
  await serve('live', ['/api/live'], {
    'live.follow': {
      ...following('/api/live', source),
      does: async (_input, { signal }) => {
        asked++;
        await once(signal, 'abort');
        return source.read(signal);
      },
    },
  });
  const opening = Reader.open(`${url}/api/live`, member);
  await becomes(t, () => asked, 1);
  http.disconnect({ member_id: 7 });
  const reader = await opening;
  await reader.finished;
  t.same(reader.events, [{ event: 'revoked', data: { type: 'revoked', reason: 'revoked' } }]);
});

t.test('a stream ends with the token that opened it', async (t) => {
  const { url, source } = await world(t, { tick_ms: 20 });
  const reader = await Reader.open(`${url}/api/live`, { authorization: 'Bearer short' });
  const started = Date.now();
  await reader.finished;
  t.ok(Date.now() - started < 2_000);
  t.same(reader.events, [{ event: 'revoked', data: { type: 'revoked', reason: 'expired' } }]);
  t.equal(source.returned, 1);
});

t.test('a replacement keeps the streams of its extension and frees the old cell, a removal ends them', async (t) => {
  const { url, http, serve, remove, source } = await world(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  const other = new Source();
  await serve('other', ['/api/other'], { ...hello, 'other.follow': following('/api/other', other) });
  const stranger = await Reader.open(`${url}/api/other`, member);
  const build = http.buildCell.bind(http);
  const built: WeakRef<object>[] = [];
  http.buildCell = async (content) => {
    const cell = await build(content);
    built.push(new WeakRef(cell));
    return cell;
  };
  for (let turn = 0; turn < 3; turn++) {
    const next = new Source();
    await serve('live', ['/api/live'], { 'live.follow': following('/api/live', next) });
    const late = await Reader.open(`${url}/api/live`, member);
    t.teardown(() => late.leave());
  }
  source.push(delta(1));
  await becomes(t, () => reader.events.length, 1);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const alive = () => {
    collect();
    return built.map((cell) => cell.deref() !== undefined);
  };
  await becomes(t, alive, [false, false, true]);

  remove('live');
  http.stopStreams('live');
  await reader.finished;
  t.same(reader.events.at(-1), { event: 'closed', data: { type: 'closed', reason: 'unloaded' } });
  other.push(delta(2));
  await becomes(t, () => stranger.events.length, 1);
});

t.test('closing ends the streams well before the deadline and asks their clients to come back', async (t) => {
  const made = await startWorld();
  const source = new Source();
  await made.serve('live', ['/api/live'], { 'live.follow': following('/api/live', source) });
  const readers = await Promise.all(Array.from({ length: 20 }, () => Reader.open(`${made.url}/api/live`, member)));
  const started = Date.now();
  await made.http.close(5_000);
  t.ok(Date.now() - started < 2_000);
  await Promise.all(readers.map(({ finished }) => finished));
  t.same([...new Set(readers.map(({ ended, retries }) => `${ended} ${retries.join()}`))], ['end 3000,1000']);
  t.equal(source.returned, 20);
});

/** A body without the marks of its chunks. */
function unchunked(text: string): string {
  let rest = text.slice(text.indexOf('\r\n\r\n') + 4);
  let body = '';
  for (;;) {
    const end = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.slice(0, end), 16);
    if (!(length > 0)) return body;
    body += rest.slice(end + 2, end + 2 + length);
    rest = rest.slice(end + 2 + length + 2);
  }
}
