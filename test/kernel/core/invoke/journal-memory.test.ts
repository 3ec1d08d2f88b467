import t from 'tap';
import { Decoder } from '../../../../kernel/platform/journal/decoder.js';
import { encode } from '../../../../kernel/platform/journal/encode.js';
import { MemoryJournal } from '../../../../kernel/platform/journal/memory.js';
import { Topic } from '../../../../kernel/platform/journal/topic.js';

const MINUTE = 60_000;

function setup(limits: object = {}) {
  let now = 0;
  const clock = { now: () => now, iso: () => new Date(now).toISOString() };
  const journal = new MemoryJournal({ clock, limits });
  const text = (length: number) => ({ type: 'text', data: { text: 'x'.repeat(length) } });
  const wait = (ms: number): void => {
    now += ms;
  };
  return { journal, text, wait };
}

t.test('a topic is dropped an hour after its last use and then has a new epoch', async (t) => {
  const { journal, text, wait } = setup();
  await journal.append('a', [text(1)]);
  wait(60 * MINUTE);
  const cursor = await journal.append('a', [text(1)]);
  t.match(cursor, /\.2$/);
  wait(60 * MINUTE + 1);
  const head = await journal.head('a');
  t.match(head, /\.0$/);
  t.not(head.split('.')[1], cursor.split('.')[1]);
});

t.test('an ended topic is dropped after ten minutes, however often it is read', async (t) => {
  const { journal, text, wait } = setup();
  await journal.append('a', [text(1)]);
  await journal.end('a');
  wait(9 * MINUTE);
  t.match(await journal.head('a'), /\.1$/);
  wait(MINUTE + 1);
  t.match(await journal.head('a'), /\.0$/);
});

t.test('a followed topic is not dropped', async (t) => {
  const { journal, text, wait } = setup({ topics: 2 });
  const follow = journal.follow('a')[Symbol.asyncIterator]();
  await journal.append('a', [text(1)]);
  await follow.next();
  wait(600 * MINUTE);
  journal.sweep();
  for (const topic of ['b', 'c', 'd']) await journal.append(topic, [text(1)]);
  t.match(await journal.append('a', [text(1)]), /\.2$/);
  await follow.return?.();
});

t.test('an append to existing topics keeps none alive, but its reader does, and for an hour after', async (t) => {
  const { journal, text, wait } = setup();
  await journal.append('a', [text(1)]);
  const follow = journal.follow('b')[Symbol.asyncIterator]();
  await journal.append('b', [text(1)]);
  await follow.next();
  wait(50 * MINUTE);
  await journal.appendExisting(['a', 'b'], [text(1)]);
  wait(11 * MINUTE);
  await journal.appendExisting(['a', 'b'], [text(1)]);
  await follow.return?.();
  wait(59 * MINUTE);
  t.match(await journal.head('a'), /\.0$/);
  t.match(await journal.head('b'), /\.3$/);
});

t.test('the least recently used topic above the limit is dropped', async (t) => {
  const { journal, text, wait } = setup({ topics: 3 });
  for (const topic of ['a', 'b', 'c', 'a', 'd']) {
    await journal.append(topic, [text(1)]);
    wait(1_000);
  }
  t.match(await journal.head('a'), /\.2$/);
  t.match(await journal.head('b'), /\.0$/);
});

t.test('a topic with a reader is not evicted, and is the last to be once the reader has left', async (t) => {
  const { journal, text, wait } = setup({ topics: 3 });
  const add = async (topic: string) => {
    await journal.append(topic, [text(1)]);
    wait(1_000);
  };
  await add('read');
  const reader = journal.follow('read')[Symbol.asyncIterator]();
  const pending = reader.next();
  for (const topic of ['a', 'b', 'c']) await add(topic);
  t.match(await journal.head('read'), /\.1$/, 'others were evicted while it was read');
  await journal.append('read', [text(1)]);
  await pending;
  await reader.return?.();
  wait(1_000);
  await add('d');
  t.match(await journal.head('read'), /\.2$/, 'others were used before its reader left');
  for (const topic of ['e', 'f', 'g']) await add(topic);
  t.match(await journal.head('read'), /\.0$/, 'it was evicted after those');
});

t.test('the bytes of all topics are limited: other topics are evicted first, then the oldest entries of the growing one', async (t) => {
  const { journal, text } = setup({ total_bytes: 10_000 });
  await journal.append('a', [text(4_000)]);
  await journal.append('b', [text(4_000)]);
  await journal.append('b', [text(4_000)]);
  t.match(await journal.head('a'), /\.0$/, 'another topic was evicted');
  await journal.append('b', [text(4_000)]);
  const first = await journal.follow('b')[Symbol.asyncIterator]().next();
  t.match(first.value, { type: 'gap', cursor: /\.1$/ }, 'its own oldest entry was evicted');
});

t.test('a read is limited in bytes but returns at least one entry', (t) => {
  const topic = new Topic('talk', { epoch: 'e', now: 0, decoder: new Decoder() });
  const large = { n: 'x'.repeat(20_000) };
  topic.append(
    encode(
      'talk',
      Array.from({ length: 10 }, () => ({ type: 'piece', data: large })),
    ),
  );
  const first = topic.read(undefined);
  t.equal(first.entries.length, 4, 'the fourth entry exceeds 64 KiB');
  const lengths = [first.entries.length];
  for (let page = first; page.entries.length > 0; lengths.push(page.entries.length)) page = topic.read(page.position);
  t.same(lengths, [4, 4, 2, 0], 'the next read continues after it');
  t.end();
});
