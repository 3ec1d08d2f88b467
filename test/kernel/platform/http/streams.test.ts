import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { fail } from '../../../../kernel/contract/failure.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { member } from './deeds.js';
import { open } from './raw.js';
import { Reader } from './reader.js';
import { delta, following, Source, streamWorld } from './source.js';
import type { Deed } from './world.js';

t.test('a stream opens at once, sets the retry time and sends events as they come', async (t) => {
  const { url, source } = await streamWorld(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  t.equal(reader.response.status, 200);
  t.match(Object.fromEntries(reader.response.headers), {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': /./,
    'x-instance': 'here',
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

t.test('the events of one tick are written together', async (t) => {
  const { url, source } = await streamWorld(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  await becomes(t, () => reader.reads, 1);
  source.push(...Array.from({ length: 200 }, (_, number) => delta(number)));
  await becomes(t, () => reader.events.length, 200);
  t.ok(reader.reads <= 3, `${reader.reads} reads`);
});

t.test('a stream of future events reports its position at once', async (t) => {
  const { url, source, serve } = await streamWorld(t);
  const deed = following('/api/live', source);
  const from = (cursor: string): Deed => ({
    ...deed,
    does: (_input, { signal }) => ({ from: cursor, [Symbol.asyncIterator]: () => source.read(signal) }),
  });
  const opened = async () => {
    const reader = await Reader.open(`${url}/api/live`, member);
    t.teardown(() => reader.leave());
    await becomes(t, () => reader.retries, [3000]);
    return reader;
  };
  t.equal((await opened()).from, undefined, 'other streams have no cursor before their first event');
  await serve('live', ['/api/live'], { 'live.follow': from('s.1.7') });
  const reader = await opened();
  t.equal(reader.from, 's.1.7');
  t.same(reader.events, [], 'the position is not an event');
  await serve('live', ['/api/live'], { 'live.follow': from('s\ndata: {}\n\n') });
  const forged = await opened();
  t.same([forged.from, forged.events], ['s data: {} ', []], 'a forged position stays on its line');
});

t.test("the header's cursor takes precedence over the query's", async (t) => {
  const { url, serve } = await streamWorld(t);
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

t.test('a stream authenticates by header, ticket or token in this order, and they are not input', async (t) => {
  const { url, serve } = await streamWorld(t);
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

t.test('a fault before the stream is an ordinary answer, and one within it an event and the end', async (t) => {
  const { url, serve, lines, active } = await streamWorld(t);
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

t.test('comments keep an idle stream alive', async (t) => {
  const { url } = await streamWorld(t, { heartbeat_ms: 60, tick_ms: 20 });
  const reader = await Reader.open(`${url}/api/live`, member);
  await until(
    () => reader.comments,
    (comments) => comments >= 3,
  );
  t.equal(reader.events.length, 0);
});

t.test('a disconnecting client closes the source of events', async (t) => {
  const { url, source } = await streamWorld(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  source.push(delta(1));
  await becomes(t, () => reader.events.length, 1);
  reader.leave();
  await becomes(t, () => source.returned, 1);
});

t.test('a client that disconnects before its stream starts closes the source too', async (t) => {
  const { url, serve } = await streamWorld(t);
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

/** Bytes that are still referred to, buffers included; the rest is collected first, whatever V8 would keep of it. */
function held(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

t.test('a reader that does not read is cut, and its buffer is limited', async (t) => {
  const { port, serve, lines } = await streamWorld(t, { stalled_ms: 2_000, tick_ms: 20 });
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
  const memory = held();
  const rests = async () => {
    const before = given;
    await sleep(150);
    return before > 0 && given === before;
  };
  t.ok(await until(rests, Boolean), 'the source pauses while nobody reads');
  t.ok(held() - memory < 16 * 1024 * 1024);
  t.ok(given * 10_000 < 32 * 1024 * 1024, `${given} events were produced, as many as the two sockets hold`);
  await becomes(t, () => returned, 1);
  t.match(lines, [{ level: 'warn', message: /does not read/, fields: { member_id: 7 } }]);
});

t.test('a slow reader gets everything in order', async (t) => {
  const { port, serve } = await streamWorld(t);
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

t.test('a stream with effects reads its input from the body, validated before it opens', async (t) => {
  const { url, serve } = await streamWorld(t);
  const deed = following('/api/live/{id}', new Source());
  const asked: unknown[] = [];
  await serve('live', ['/api/live'], {
    'live.run': {
      ...deed,
      method: 'POST',
      input: (j) => j.object({ id: j.number().required(), command: j.array().items(j.string()).required(), after: j.string() }),
      does: async function* (input: object) {
        asked.push(input);
        yield { type: 'output', data: { delta: 'x' } };
      },
    },
  });
  const run = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/live/7`, { method: 'POST', body, headers: { ...member, 'content-type': 'application/json', ...headers } });
  const answer = await run('{"command": ["ls", "-l"]}', { 'last-event-id': 'never begun again' });
  t.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  t.match(await answer.text(), 'data: {"type":"output","delta":"x"}');
  t.same(asked, [{ id: 7, command: ['ls', '-l'] }]);
  const refused = await run('{"command": "ls"}');
  t.equal(refused.status, 400);
  t.match(await refused.json(), { code: 'invalid_input', details: [{ path: 'command' }] });
  t.equal((await run('{')).status, 400);
  t.equal(asked.length, 1);
});
