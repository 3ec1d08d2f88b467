import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import type { Journal } from '../../../../kernel/contract/journal.js';
import { openTransport, type Transport } from '../../../../kernel/platform/transport/transport.js';
import { until } from '../../../helpers/eventually.js';
import { keepLog, skipWithoutRedisServer, startRedis, systemClock } from '../../../helpers/redis.js';

/** A dead process is found within this. */
const found_ms = 17_000;
/** A silence of this length would end it. */
const silence_ms = 14_000;
/** Each says within this that it lives. */
const beat_ms = 4_000;
const note = (n: number) => [{ type: 'note', data: { n } }];
const skip = skipWithoutRedisServer();
// Made anew for each: tap keeps its own state in it.
const own = () => ({ skip, buffered: true });
// Each waits for what takes seconds.
t.jobs = 4;

interface Instance extends Transport {
  lines: string[];
}

/** A Redis that can be stopped for a while, and instances on it. */
async function installation(t: Test) {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  const open = async (): Promise<Instance> => {
    const { log, lines } = keepLog();
    const transport = await openTransport({ url: redis.url, clock: systemClock, log });
    t.teardown(() => transport.close());
    return { ...transport, lines };
  };
  return { redis, open };
}

/** Entries that a follower of 'topic' receives: numbers, and gaps. */
function follow(journal: Journal, after?: string): unknown[] {
  const given: unknown[] = [];
  void (async () => {
    for await (const { type, data } of journal.follow('topic', { after })) given.push(data ? (data as { n: number }).n : type);
  })();
  return given;
}

const gapsIn = (given: unknown[]) => given.filter((item) => item === 'gap').length;
const warned = ({ lines }: Instance) => lines.filter((line) => line.includes('ended without leaving')).length;

t.test('a process killed while Redis is unavailable leaves a gap for current and returning readers', own(), async (t) => {
  const { redis, open } = await installation(t);
  const [one, two] = [await open(), await open()];
  const script = fileURLToPath(new URL('../../../fixtures/append.js', import.meta.url));
  const writer = spawn(process.execPath, [script, redis.url, 'topic'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'exit');
  const given = [follow(one.journal), follow(two.journal)];
  let cursor = '';
  for await (cursor of createInterface({ input: writer.stdout })) if (cursor.endsWith('.50')) break;
  const before = await one.journal.head('topic');
  redis.pause();
  await sleep(200);
  writer.kill('SIGKILL');
  await exited;
  redis.resume();
  await until(
    () => given,
    (all) => all.every((items) => gapsIn(items) === 1),
    found_ms,
  );
  t.same([warned(one), warned(two)], [1, 1]);
  const three = await open();
  const back = follow(three.journal, before);
  await until(
    () => back,
    (items) => gapsIn(items) === 1,
  );
  await one.journal.append('topic', note(-1));
  await until(
    () => [...given, back],
    (all) => all.every((items) => items.at(-1) === -1),
  );
  t.same(
    [...given, back].map((items) => items.slice(-2)),
    [
      ['gap', -1],
      ['gap', -1],
      ['gap', -1],
    ],
    'each reader gets the gap once',
  );
});

t.test('a clean shutdown leaves no gap', own(), async (t) => {
  const { open } = await installation(t);
  const [one, two] = [await open(), await open()];
  const given = follow(one.journal);
  await two.journal.append('topic', note(1));
  await two.close();
  await sleep(found_ms);
  await one.journal.append('topic', note(2));
  await until(
    () => given,
    (items) => items.length === 2,
  );
  t.same([given, warned(one)], [[1, 2], 0]);
});

t.test('a shutdown with unappended entries leaves a gap', own(), async (t) => {
  const { redis, open } = await installation(t);
  const [one, two] = [await open(), await open()];
  await two.journal.append('topic', note(1));
  const given = follow(one.journal);
  await until(
    () => given,
    (items) => items.length === 1,
  );
  redis.pause();
  await t.rejects(two.journal.append('topic', note(2)), { code: 'bus_unavailable' });
  await two.close();
  redis.resume();
  await until(
    () => warned(one),
    (losses) => losses === 1,
    found_ms,
  );
  await until(
    () => given,
    (items) => items.at(-1) === 'gap',
  );
  t.equal(warned(one), 1);
});

t.test("a Redis outage counts as no writer's death", own(), async (t) => {
  const { redis, open } = await installation(t);
  const [one, two] = [await open(), await open()];
  const given = follow(one.journal);
  await two.journal.append('topic', note(1));
  await until(
    () => given,
    (items) => items.length === 1,
  );
  redis.pause();
  await sleep(silence_ms);
  redis.resume();
  await sleep(beat_ms);
  await two.journal.append('topic', note(2));
  await until(
    () => given,
    (items) => items.length === 2,
  );
  t.same([given, warned(one), warned(two)], [[1, 2], 0, 0]);
});

t.test('a full Redis does not prevent an instance from starting', own(), async (t) => {
  const { redis, open } = await installation(t);
  const admin = new Redis(redis.url);
  t.teardown(() => admin.disconnect());
  await admin.config('SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction');
  const one = await open();
  t.equal(await admin.zcard('platform:journal.writers:{journal}'), 0, 'Redis had no memory left');
  await admin.config('SET', 'maxmemory', '0');
  await until(
    () => admin.zcard('platform:journal.writers:{journal}'),
    (writers) => writers === 1,
  );
  t.match(await one.journal.append('topic', note(1)), /^topic\./);
});
