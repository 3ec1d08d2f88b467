import t from 'tap';
import type { Entry, Journal } from '../../../../kernel/contract/journal.js';
import { eachTransport } from '../../../helpers/redis.js';

type Item = Entry | { type: 'gap'; cursor: string; data?: undefined };

const entries = (from: number, to: number): { type: string; data: object }[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ type: 'count', data: { n: from + index } }));

/** Appends one by one; gives the cursors, the first of them before any entry. */
async function fill(journal: Journal, topic: string, count: number): Promise<string[]> {
  const cursors = [await journal.head(topic)];
  for (const entry of entries(1, count)) cursors.push(await journal.append(topic, [entry]));
  return cursors;
}

async function take(follow: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of follow) if (taken.push(item) === count) break;
  return taken;
}

async function all(follow: AsyncIterable<Item>): Promise<Item[]> {
  return take(follow, Number.POSITIVE_INFINITY);
}

const numbers = (items: Item[]): unknown[] => items.map((item) => (item.data ? (item.data as { n: number }).n : item.type));

t.test('the journal works, in memory and on Redis', (t) =>
  eachTransport(t, async (t, kit) => {
    const { journal } = await kit.open();

    await t.test('entries are returned in order, each with its cursor, from every position', async (t) => {
      const topic = kit.topic();
      const cursors = await fill(journal, topic, 20);
      t.equal(await journal.head(topic), cursors[20]);
      await journal.end(topic);
      const whole = entries(1, 20).map((entry, index) => ({ cursor: cursors[index + 1], ...entry }));
      t.same(await all(journal.follow(topic)), whole);
      for (const [index, after] of cursors.entries())
        t.same(await all(journal.follow(topic, { after })), whole.slice(index), `after ${index}`);
    });

    await t.test('several entries are appended at once, and none for an empty list', async (t) => {
      const topic = kit.topic();
      const before = await journal.append(topic, []);
      t.match(before, /\.0$/);
      const after = await journal.append(topic, entries(1, 150));
      t.match(after, /\.150$/);
      t.same(numbers(await take(journal.follow(topic, { after: before }), 150)), numbers(entries(1, 150) as Item[]));
    });

    await t.test('a follow returns later entries, even of a topic that does not exist yet', async (t) => {
      const topic = kit.topic();
      const reading = take(journal.follow(topic), 3);
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const entry of entries(1, 3)) await journal.append(topic, [entry]);
      t.same(numbers(await reading), [1, 2, 3]);
    });

    await t.test('concurrent appends keep their order', async (t) => {
      const topic = kit.topic();
      const cursors = await Promise.all(entries(1, 200).map((entry) => journal.append(topic, [entry])));
      t.equal(cursors.at(-1), await journal.head(topic));
      t.same(numbers(await take(journal.follow(topic), 200)), numbers(entries(1, 200) as Item[]));
    });

    await t.test('the journal stores a copy of what was appended', async (t) => {
      const topic = kit.topic();
      const data = { text: 'as it was', left_out: undefined };
      await journal.append(topic, [{ type: 'note', data }]);
      data.text = 'changed';
      const [item] = await take(journal.follow(topic), 1);
      t.same(item?.data, { text: 'as it was' });
      t.strictSame(Object.keys(item?.data ?? {}), ['text'], 'the copy is made by JSON');
    });

    await t.test('an unusable cursor yields a gap, then all stored entries', async (t) => {
      const topic = kit.topic();
      const cursors = await fill(journal, topic, 3);
      const [, epoch] = (cursors[0] ?? '').slice(topic.length).split('.');
      const unusable = {
        ahead: `${topic}.${epoch}.4`,
        'of another epoch': `${topic}.00.1`,
        'of another topic': `test.${epoch}.1`,
        empty: '',
        text: 'hello',
        'without a number': `${topic}.${epoch}.`,
        'a fraction': `${topic}.${epoch}.1.5`,
        negative: `${topic}.${epoch}.-1`,
        'too large a number': `${topic}.${epoch}.99999999999999999999`,
        exponential: `${topic}.${epoch}.1e1`,
        huge: 'x'.repeat(100_000),
        'with a null byte': `${topic}.${epoch}.1\0`,
      };
      const items = [
        { type: 'gap', cursor: cursors[0] },
        ...entries(1, 3).map((entry, index) => ({ cursor: cursors[index + 1], ...entry })),
      ];
      for (const [kind, after] of Object.entries(unusable)) t.same(await take(journal.follow(topic, { after }), 4), items, kind);
    });

    await t.test('a gap in a missing topic leads to its first entry', async (t) => {
      const topic = kit.topic();
      const follow = journal.follow(topic, { after: `${topic}.00.7` })[Symbol.asyncIterator]();
      const gap = await follow.next();
      t.same(gap.value, { type: 'gap', cursor: await journal.head(topic) });
      await journal.append(topic, entries(1, 1));
      t.same((await follow.next()).value?.data, { n: 1 });
      await follow.return?.();
    });

    await t.test('an ended topic returns its entries, ends, and rejects appends', async (t) => {
      const topic = kit.topic();
      const waiting = all(journal.follow(topic));
      await fill(journal, topic, 3);
      await journal.end(topic);
      t.same(numbers(await waiting), [1, 2, 3], 'a reader that waited');
      t.same(numbers(await all(journal.follow(topic))), [1, 2, 3], 'a late reader');
      t.same(await all(journal.follow(topic, { after: await journal.head(topic) })), [], 'a reader at the end');
      await t.rejects(journal.append(topic, entries(4, 4)), { code: 'journal_topic_ended', status: 409 });
      await journal.end(topic);
    });

    await t.test('an entry above 64 KiB fails with its whole append', async (t) => {
      const topic = kit.topic();
      const text = (length: number): { type: string; data: object } => ({ type: 'text', data: { text: 'x'.repeat(length) } });
      await t.rejects(journal.append(topic, [...entries(1, 1), text(65_536)]), { code: 'journal_entry_too_large', status: 413 });
      t.match(await journal.append(topic, [text(65_000)]), /\.1$/);
    });

    await t.test('a follow ends at once when aborted, returned, or aborted before', async (t) => {
      const topic = kit.topic();
      await fill(journal, topic, 1);
      const stop = new AbortController();
      const aborted = all(journal.follow(topic, { signal: stop.signal }));
      const returned = journal.follow(topic)[Symbol.asyncIterator]();
      await returned.next();
      const pending = returned.next();
      await new Promise((resolve) => setTimeout(resolve, 20));
      const start = performance.now();
      stop.abort();
      await returned.return?.();
      t.same(await pending, { done: true, value: undefined });
      t.same(numbers(await aborted), [1]);
      t.same(await all(journal.follow(topic, { signal: AbortSignal.abort() })), []);
      t.ok(performance.now() - start < 4_000);
      t.same(await returned.next(), { done: true, value: undefined });
    });

    await t.test('fifty resumes at random positions return the same entries as one reader', async (t) => {
      const topic = kit.topic();
      const whole = all(journal.follow(topic));
      const writing = (async () => {
        for (let n = 1; n <= 500; n += 1) {
          await journal.append(topic, entries(n, n));
          if (n % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        await journal.end(topic);
      })();
      const pieces: Item[] = [];
      for (let resume = 0; resume < 50; resume += 1) {
        const after = pieces.at(-1)?.cursor;
        pieces.push(...(await take(journal.follow(topic, after === undefined ? {} : { after }), 1 + Math.floor(Math.random() * 9))));
      }
      const after = pieces.at(-1)?.cursor;
      pieces.push(...(await all(journal.follow(topic, after === undefined ? {} : { after }))));
      await writing;
      t.same(pieces, await whole);
      t.same(numbers(pieces), numbers(entries(1, 500) as Item[]));
    });

    await t.test('many readers of one topic all get everything', async (t) => {
      const topic = kit.topic();
      const readers = Array.from({ length: 100 }, () => all(journal.follow(topic)));
      await fill(journal, topic, 100);
      await journal.end(topic);
      for (const items of await Promise.all(readers)) if (items.length !== 100) t.fail(`${items.length} of 100 entries`);
      t.same(numbers((await readers[99]) ?? []), numbers(entries(1, 100) as Item[]));
    });

    await t.test('a topic keeps its newest entries up to a number', async (t) => {
      const { journal } = await kit.open({ entries: 10 });
      const topic = kit.topic();
      const cursors = await fill(journal, topic, 25);
      t.same(numbers(await take(journal.follow(topic), 11)), ['gap', ...numbers(entries(16, 25) as Item[])], 'from the start');
      t.same((await take(journal.follow(topic), 1))[0]?.cursor, cursors[15], 'the gap leads to the oldest stored entry');
      t.same(numbers(await take(journal.follow(topic, { after: cursors[14] }), 2)), ['gap', 16], 'a cursor that is too old by one entry');
      t.same(numbers(await take(journal.follow(topic, { after: cursors[15] }), 2)), [16, 17], 'the oldest valid cursor');
    });

    await t.test('a topic keeps its newest entries up to a size', async (t) => {
      const { journal } = await kit.open({ bytes: 1_000 });
      const topic = kit.topic();
      const large = (n: number): { type: string; data: object } => ({ type: 'count', data: { n, text: 'é'.repeat(100) } });
      for (let n = 1; n <= 9; n += 1) await journal.append(topic, [large(n)]);
      t.same(numbers(await take(journal.follow(topic), 5)), ['gap', 6, 7, 8, 9]);
    });

    await t.test('an append to existing topics creates none', async (t) => {
      const [known, ended, missing] = [kit.topic(), kit.topic(), kit.topic()];
      const before = await journal.append(known, entries(1, 1));
      await fill(journal, ended, 1);
      await journal.end(ended);
      const others = Array.from({ length: 1_200 }, () => kit.topic());
      await journal.appendExisting([...others, known, ended, missing], entries(2, 3));
      t.same(numbers(await take(journal.follow(known, { after: before }), 2)), [2, 3]);
      t.same(numbers(await all(journal.follow(ended))), [1]);
      t.same(numbers(await take(journal.follow(missing, { after: `${missing}.00.7` }), 1)), ['gap'], 'an old cursor of a missing topic');
      for (const topic of [missing, others[0] as string]) t.match(await journal.head(topic), /\.0$/);
    });

    await t.test('all appends to a topic keep its limits and their order', async (t) => {
      const { journal } = await kit.open({ entries: 10 });
      const topic = kit.topic();
      await journal.head(topic);
      for (let n = 1; n <= 25; n += 1) {
        if (n % 2) await journal.append(topic, entries(n, n));
        else await journal.appendExisting([topic], entries(n, n));
      }
      t.same(numbers(await take(journal.follow(topic), 11)), ['gap', ...numbers(entries(16, 25) as Item[])]);
    });

    await t.test('a large entry fails with its whole append to existing topics', async (t) => {
      const topic = kit.topic();
      const before = await journal.head(topic);
      const large = { type: 'text', data: { text: 'x'.repeat(65_536) } };
      await t.rejects(journal.appendExisting([topic], [...entries(1, 1), large]), { code: 'journal_entry_too_large' });
      t.equal(await journal.head(topic), before);
    });

    await t.test('a slow reader gets a gap and then reaches the end', async (t) => {
      const { journal } = await kit.open({ entries: 100 });
      const topic = kit.topic();
      await journal.append(topic, entries(1, 100));
      const follow = journal.follow(topic)[Symbol.asyncIterator]();
      t.same((await follow.next()).value?.data, { n: 1 });
      for (let n = 101; n <= 1_000; n += 100) await journal.append(topic, entries(n, n + 99));
      await journal.end(topic);
      const rest: Item[] = [];
      for (let step = await follow.next(); !step.done; step = await follow.next()) rest.push(step.value);
      const gaps = rest.flatMap((item, index) => (item.type === 'gap' ? index : []));
      t.equal(gaps.length, 1);
      const [gap = -1] = gaps;
      t.same(numbers(rest.slice(0, gap)), numbers(entries(2, gap + 1) as Item[]), 'buffered entries come first');
      t.ok(gap < 100, 'the buffer is limited');
      t.same(numbers(rest.slice(gap + 1)), numbers(entries(901, 1_000) as Item[]));
    });

    await t.test('closing the transport ends its readers', async (t) => {
      const transport = await kit.open();
      const topic = kit.topic();
      const reading = all(transport.journal.follow(topic));
      await new Promise((resolve) => setTimeout(resolve, 20));
      await transport.close();
      t.same(await reading, []);
    });
  }),
);
