import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import type { Entry } from '../../../../kernel/contract/journal.js';
import type { JournalLimits } from '../../../../kernel/platform/journal/limits.js';
import { openTransport } from '../../../../kernel/platform/transport/transport.js';
import { Link } from '../../../helpers/link.js';
import { keepLog, type RedisServer, skipWithoutRedisServer, startRedis, systemClock } from '../../../helpers/redis.js';

type Item = Entry | { type: 'gap'; cursor: string; data?: undefined };

const note = (n: number): { type: string; data: object }[] => [{ type: 'note', data: { n } }];
const numbers = (items: Item[]): unknown[] => items.map((item) => (item.data ? (item.data as { n: number }).n : item.type));

async function open(t: Test, redis: RedisServer, limits: Partial<JournalLimits> = {}) {
  const { log, lines } = keepLog();
  const transport = await openTransport({ url: redis.url, clock: systemClock, log, limits });
  t.teardown(() => transport.close());
  return { ...transport, lines };
}

async function server(t: Test): Promise<RedisServer> {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  return redis;
}

/** Reads in the background; `until` waits for the condition. */
function read(follow: AsyncIterable<Item>) {
  const items: Item[] = [];
  const done = (async () => {
    for await (const item of follow) items.push(item);
  })();
  const until = async (count: number): Promise<Item[]> => {
    await waitFor(() => items.length >= count);
    return items;
  };
  return { items, done, until };
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('waited for 30 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const skip = skipWithoutRedisServer();
// Made anew for each: tap keeps its own state in it.
const own = () => ({ skip, buffered: true });
// Each waits for its own server, most of the time.
t.jobs = 4;

t.test('entries appended on one instance can be followed, continued and ended on another', own(), async (t) => {
  const redis = await server(t);
  const [one, two] = [await open(t, redis), await open(t, redis)];
  const there = read(two.journal.follow('topic'));
  const second = await one.journal.append('topic', [...note(1), ...note(2)]);
  await two.journal.append('topic', note(3));
  await there.until(3);
  await one.journal.end('topic');
  await there.done;
  t.same(numbers(there.items), [1, 2, 3]);
  const rest = read(two.journal.follow('topic', { after: second }));
  await rest.done;
  t.same(numbers(rest.items), [3]);
  t.equal(await two.journal.head('topic'), await one.journal.head('topic'));
});

t.test('all readers see concurrent appends of several instances in one order', own(), async (t) => {
  const redis = await server(t);
  const [one, two] = [await open(t, redis), await open(t, redis)];
  const readers = [one, two].map(({ journal }) => read(journal.follow('topic')));
  await Promise.all(Array.from({ length: 200 }, (_, n) => [one, two].map(({ journal }) => journal.append('topic', note(n)))).flat());
  await one.journal.end('topic');
  for (const { done } of readers) await done;
  t.equal(readers[0]?.items.length, 400);
  t.same(readers[0]?.items, readers[1]?.items);
});

t.test('a stream continues on another instance after its process is killed', own(), async (t) => {
  const redis = await server(t);
  const { journal } = await open(t, redis);
  const reading = read(journal.follow('topic'));
  const script = fileURLToPath(new URL('../../../fixtures/append.js', import.meta.url));
  const writer = spawn(process.execPath, [script, redis.url, 'topic'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: string[] = [];
  for await (const cursor of createInterface({ input: writer.stdout })) if (acknowledged.push(cursor) === 50) break;
  const exited = once(writer, 'exit');
  writer.kill('SIGKILL');
  await exited;
  await reading.until(50);
  const last = await journal.append('topic', note(-1));
  await journal.end('topic');
  await reading.done;
  t.same(
    reading.items.slice(0, 50).map(({ cursor }) => cursor),
    acknowledged,
  );
  t.match(reading.items.at(-1), { cursor: last, data: { n: -1 } });
});

t.test('after a restart of Redis readers continue after a gap and pending appends wait', own(), async (t) => {
  const redis = await server(t);
  const { journal, lines, ...transport } = await open(t, redis);
  const reading = read(journal.follow('topic'));
  const before = await journal.append('topic', note(1));
  await reading.until(1);
  await redis.kill();
  await waitFor(() => lines.some((line) => line.includes('is unavailable')));
  await t.rejects(transport.ping(), { code: 'bus_unavailable', status: 503 });
  const waiting = journal.append('topic', note(2));
  await redis.start();
  const after = await waiting;
  t.not(after.split('.')[1], before.split('.')[1], 'the topic has another epoch');
  await reading.until(3);
  await journal.append('topic', note(3));
  t.same(numbers(await reading.until(4)), [1, 'gap', 2, 3]);
  t.ok(lines.some((line) => line.includes('is back')));
  await transport.ping();
});

t.test('a Redis that returns with older data reuses no positions', own(), async (t) => {
  const redis = await server(t);
  const { journal } = await open(t, redis);
  const reading = read(journal.follow('topic'));
  for (const n of [1, 2, 3]) await journal.append('topic', note(n));
  const admin = new Redis(redis.url);
  await admin.save();
  admin.disconnect();
  const seen = await journal.append('topic', [...note(4), ...note(5)]);
  await reading.until(5);
  await redis.kill();
  await redis.start();
  await journal.append('topic', [...note(44), ...note(55), ...note(66)]);
  t.same(numbers(await reading.until(9)), [1, 2, 3, 4, 5, 'gap', 44, 55, 66]);
  t.same(numbers(await read(journal.follow('topic', { after: seen })).until(4)), ['gap', 44, 55, 66]);
});

t.test('entries that could not be appended are a gap for current and later readers', own(), async (t) => {
  const redis = await server(t);
  const link = await Link.to(Number(new URL(redis.url).port));
  t.teardown(() => link.close());
  const [one, two] = [await open(t, { ...redis, url: `redis://127.0.0.1:${link.port}` }), await open(t, redis)];
  const there = read(two.journal.follow('topic'));
  await one.journal.append('topic', note(1));
  await there.until(1);
  link.set({ kind: 'stalled' });
  const lost = one.journal.append('topic', note(2));
  link.set({ kind: 'cut' });
  await t.rejects(lost, { code: 'bus_unavailable' });
  link.heal();
  await there.until(2);
  await two.journal.append('topic', note(3));
  t.same(numbers(await there.until(3)), [1, 'gap', 3]);
  const late = read(two.journal.follow('topic'));
  t.same(numbers(await late.until(2)), ['gap', 3], 'a reader from the start gets a gap');
});

t.test('without Redis an append fails within 5 s and is not retried later', own(), async (t) => {
  const redis = await server(t);
  const { journal, bus } = await open(t, redis);
  await redis.kill();
  const start = performance.now();
  const failure = { code: 'bus_unavailable', status: 503, retry_after: 1 };
  await Promise.all([
    t.rejects(journal.append('topic', note(1)), failure),
    t.rejects(journal.head('topic'), failure),
    t.rejects(read(journal.follow('topic')).done, failure),
    t.rejects(bus.publish('channel', {}), failure),
    t.rejects(bus.request('channel', {}, 10_000), failure),
    t.rejects(
      bus.subscribe('channel', () => {}),
      failure,
    ),
  ]);
  t.ok(performance.now() - start < 6_000);
  await redis.start();
  await waitFor(async () => (await journal.head('topic')).endsWith('.1'));
  await journal.append('topic', note(2));
  t.same(numbers(await read(journal.follow('topic')).until(2)), ['gap', 2]);
});

t.test('requests to a hanging Redis fail within 5 s, slow ones do not, and it is used again later', own(), async (t) => {
  const redis = await server(t);
  const { journal } = await open(t, redis);
  const reading = read(journal.follow('topic'));
  await journal.append('topic', note(1));
  await reading.until(1);
  redis.pause();
  const start = performance.now();
  await t.rejects(journal.append('topic', note(2)), { code: 'bus_unavailable' });
  t.ok(performance.now() - start < 6_000);
  redis.resume();
  await journal.append('topic', note(3));
  await waitFor(() => numbers(reading.items).at(-1) === 3);
});

t.test('requests without an answer fail when the connection is lost', own(), async (t) => {
  const redis = await server(t);
  const { journal } = await open(t, redis);
  redis.pause();
  const lost = { code: 'bus_unavailable', message: /lost before the answer came/ };
  const failed = t.rejects(journal.append('topic', note(1)), lost);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await redis.kill();
  await failed;
});

t.test('the bus works again in both directions after a restart', own(), async (t) => {
  const redis = await server(t);
  const [one, two] = [await open(t, redis), await open(t, redis)];
  const heard: object[] = [];
  await two.bus.subscribe('channel', (message) => heard.push(message));
  await two.bus.respond('question', async () => ({ yes: true }));
  t.same(await one.bus.request('question', {}, 5_000), { yes: true });
  await redis.kill();
  await redis.start();
  await waitFor(async () => {
    await one.bus.publish('channel', { n: 1 });
    return heard.length > 0;
  });
  t.same(await one.bus.request('question', {}, 5_000), { yes: true });
});

t.test('closed connections, flushed scripts and lost data are recovered from', own(), async (t) => {
  const redis = await server(t);
  const { journal, lines } = await open(t, redis);
  const admin = new Redis(redis.url);
  t.teardown(() => admin.disconnect());
  const reading = read(journal.follow('topic'));
  await journal.append('topic', note(1));
  await reading.until(1);
  await admin.script('FLUSH');
  await journal.append('topic', note(2));
  await reading.until(2);
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await waitFor(() => lines.some((line) => line.includes('is back (subscriptions)')));
  await journal.append('topic', note(3));
  await reading.until(3);
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await waitFor(() => lines.some((line) => line.includes('is back (commands)')));
  await journal.append('topic', note(4));
  t.same(numbers(await reading.until(4)), [1, 2, 3, 4], 'the entries have no gap and no repetition');
  await admin.flushall();
  await journal.append('topic', note(5));
  t.same(numbers(await reading.until(6)), [1, 2, 3, 4, 'gap', 5]);
  await admin.del('platform:journal:{topic}:entries');
  await journal.append('topic', note(6));
  t.same(numbers(await reading.until(7)), [1, 2, 3, 4, 'gap', 5, 6]);
  const late = read(journal.follow('topic'));
  t.same(numbers(await late.until(2)), ['gap', 6]);
});

t.test('idle and ended topics expire, but not followed ones', own(), async (t) => {
  const redis = await server(t);
  const { journal } = await open(t, redis, { idle_ms: 1_500, ended_ms: 100 });
  const admin = new Redis(redis.url);
  t.teardown(() => admin.disconnect());
  const followed = read(journal.follow('followed'));
  await journal.append('followed', note(1));
  await journal.append('idle', note(1));
  await journal.append('ended', note(1));
  await journal.end('ended');
  await journal.head('empty');
  await waitFor(async () => (await admin.keys('platform:journal:*')).length === 2);
  t.match(await journal.append('idle', note(1)), /\.1$/);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await journal.append('followed', note(2));
  t.same(numbers(await followed.until(2)), [1, 2]);
});

t.test('a topic is subscribed to once and unsubscribed from after its last reader', own(), async (t) => {
  const redis = await server(t);
  const { journal } = await open(t, redis);
  const admin = new Redis(redis.url);
  t.teardown(() => admin.disconnect());
  const channels = async (): Promise<unknown> => admin.pubsub('CHANNELS', 'platform:journal:*');
  const stop = new AbortController();
  const readers = Array.from({ length: 20 }, () => read(journal.follow('topic', { signal: stop.signal })));
  await journal.append('topic', note(1));
  for (const reader of readers) await reader.until(1);
  t.same(await channels(), ['platform:journal:topic']);
  t.same(await admin.pubsub('NUMSUB', 'platform:journal:topic'), ['platform:journal:topic', 1]);
  stop.abort();
  await Promise.all(readers.map(({ done }) => done));
  await waitFor(async () => ((await channels()) as unknown[]).length === 0);
});

t.test('a missing Redis, or one with a password, ends the start with a sentence', own(), async (t) => {
  const redis = await server(t);
  const admin = new Redis(redis.url);
  await admin.config('SET', 'requirepass', 'hush-hush');
  admin.disconnect();
  const gone = await startRedis();
  await gone.stop();
  const { log, lines } = keepLog();
  const start = (url: string) => openTransport({ url, clock: systemClock, log });
  const withPassword = (password: string): string => redis.url.replace('//', `//:${password}@`);
  await Promise.all([
    t.rejects(start(redis.url), { code: 'bus_unavailable', message: /NOAUTH/ }),
    t.rejects(start(withPassword('wrong')), { code: 'bus_unavailable', message: /WRONGPASS/ }),
    t.rejects(start(gone.url), { code: 'bus_unavailable', message: /ECONNREFUSED/ }),
  ]);
  await (await start(withPassword('hush-hush'))).close();
  t.notMatch(lines.join(''), 'hush-hush');
});
