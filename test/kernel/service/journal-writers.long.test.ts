import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Journal } from '../../../kernel/contract/journal.js';
import { openTransport, type Transport } from '../../../kernel/service/transport.js';
import { until } from '../../helpers/eventually.js';
import { Link } from '../../helpers/link.js';
import { keepLog, skipWithoutRedisServer, startRedis, systemClock } from '../../helpers/redis.js';

/** A dead process is found within this. */
const found_ms = 17_000;
/** Of so long a silence it would be. */
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

/** A Redis, and instances on it, each over a link of its own where it asks for one. */
async function installation(t: Test) {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  const open = async (url = redis.url): Promise<Instance> => {
    const { log, lines } = keepLog();
    const transport = await openTransport({ url, clock: systemClock, log });
    t.teardown(() => transport.close());
    return { ...transport, lines };
  };
  const link = async () => {
    const made = await Link.to(Number(new URL(redis.url).port));
    t.teardown(() => made.close());
    return { link: made, url: `redis://127.0.0.1:${made.port}` };
  };
  return { open, link };
}

/** What a follower of 'topic' is given: numbers, and gaps. */
function follow(journal: Journal, after?: string): unknown[] {
  const given: unknown[] = [];
  void (async () => {
    for await (const { type, data } of journal.follow('topic', { after })) given.push(data ? (data as { n: number }).n : type);
  })();
  return given;
}

const gapsIn = (given: unknown[]) => given.filter((item) => item === 'gap').length;
const warned = ({ lines }: Instance) => lines.filter((line) => line.includes('ended without a word')).length;

t.test('who is killed while Redis is away from it leaves a gap, for those who follow and those who come back', own(), async (t) => {
  const { open, link } = await installation(t);
  const [one, two] = [await open(), await open()];
  const { link: broken, url } = await link();
  const script = fileURLToPath(new URL('../../fixtures/append.js', import.meta.url));
  const writer = spawn(process.execPath, [script, url, 'topic'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const given = [follow(one.journal), follow(two.journal)];
  let cursor = '';
  for await (cursor of createInterface({ input: writer.stdout })) if (cursor.endsWith('.50')) break;
  broken.set({ kind: 'stalled' });
  await sleep(200);
  const before = await one.journal.head('topic');
  const exited = once(writer, 'exit');
  writer.kill('SIGKILL');
  await exited;
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
    'once each',
  );
});

t.test('who ends as it should leaves none', own(), async (t) => {
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

t.test('who ends and could not append all that it had to leaves one', own(), async (t) => {
  const { open, link } = await installation(t);
  const { link: broken, url } = await link();
  const [one, two] = [await open(), await open(url)];
  await two.journal.append('topic', note(1));
  const given = follow(one.journal);
  await until(
    () => given,
    (items) => items.length === 1,
  );
  broken.set({ kind: 'cut' });
  await t.rejects(two.journal.append('topic', note(2)), { code: 'bus_unavailable' });
  await two.close();
  await until(
    () => given,
    (items) => gapsIn(items) === 1,
    found_ms,
  );
  t.same(given, [1, 'gap']);
});

t.test('a time without Redis is no death, neither of all nor of one that comes back', own(), async (t) => {
  const { open, link } = await installation(t);
  const [first, second] = [await link(), await link()];
  const [one, two] = [await open(first.url), await open(second.url)];
  const given = follow(one.journal);
  await two.journal.append('topic', note(1));
  await until(
    () => given,
    (items) => items.length === 1,
  );
  for (const { link: broken } of [first, second]) broken.set({ kind: 'cut' });
  await sleep(silence_ms);
  for (const { link: broken } of [first, second]) broken.heal();
  await sleep(beat_ms);
  await two.journal.append('topic', note(2));
  await until(
    () => given,
    (items) => items.length === 2,
  );
  t.same([given, warned(one), warned(two)], [[1, 2], 0, 0]);
});
