import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { fail } from '../../../kernel/contract/failure.js';
import { type Read, Reader, type ReaderOptions } from '../../../tui/kit/reader.js';
import { until } from '../../helpers/eventually.js';

interface Answer {
  give: (value: string) => void;
  refuse: (thrown: unknown) => void;
  signal: AbortSignal;
}

/** A reader whose answers the test gives. */
function reading(t: Test, options: Pick<ReaderOptions<string>, 'every_ms' | 'min_interval_ms'> = {}) {
  const asked: Answer[] = [];
  const told: Read<string>[] = [];
  let under_way = 0;
  const read = (signal: AbortSignal) => new Promise<string>((give, refuse) => asked.push({ give, refuse, signal }));
  const reader = new Reader<string>({ read, onState: (each) => told.push(each), reading: (change) => (under_way += change), ...options });
  t.teardown(() => reader.stop());
  const nth = async (n: number) =>
    (await until(
      () => asked[n - 1],
      (each) => each !== undefined,
    )) as Answer;
  const last = (wanted: Partial<Read<string>>) =>
    until(
      () => told.at(-1),
      (each) => JSON.stringify(each) === JSON.stringify({ ...each, ...wanted }),
    );
  return { reader, asked, told, nth, last, underWay: () => under_way };
}

t.test('concurrent requests cause one further read, never two at once', async (t) => {
  const { reader, asked, nth, last, underWay } = reading(t, { min_interval_ms: 1 });
  reader.again();
  const first = await nth(1);
  reader.again();
  reader.changed();
  reader.changed();
  await sleep(20);
  t.same([asked.length, underWay()], [1, 1]);
  first.give('one');
  (await nth(2)).give('two');
  await last({ value: 'two', loading: false });
  t.same([asked.length, underWay()], [2, 0]);
});

t.test('the last value stays beside the error of a failed read', async (t) => {
  const { reader, told, nth, last } = reading(t);
  reader.again();
  (await nth(1)).give('one');
  await last({ value: 'one' });
  reader.again();
  (await nth(2)).refuse(fail('not_found', 'There is none'));
  await until(
    () => told.at(-1)?.error,
    (error) => error !== undefined,
  );
  t.match(told.at(-1), { value: 'one', error: { code: 'not_found' }, loading: false });
  reader.again();
  (await nth(3)).refuse(new TypeError('A mistake'));
  await until(
    () => told.at(-1)?.error?.code,
    (code) => code === 'internal_error',
  );
  t.match(told.at(-1), { value: 'one', error: { message: 'A mistake' } });
});

t.test('the rate of reads is limited', async (t) => {
  const min_interval_ms = 200;
  const { reader, nth } = reading(t, { min_interval_ms });
  reader.changed();
  const begun = performance.now();
  (await nth(1)).give('one');
  reader.changed();
  await nth(2);
  t.ok(performance.now() - begun > min_interval_ms - 50);
});

t.test('a stopped reader reads and reports nothing and aborts its call', async (t) => {
  const { reader, asked, told, nth } = reading(t, { every_ms: 1 });
  reader.again();
  (await nth(1)).give('one');
  const second = await nth(2);
  const before = told.length;
  reader.stop();
  t.ok(second.signal.aborted);
  second.give('two');
  reader.again();
  reader.changed();
  await sleep(30);
  t.same([asked.length, told.length], [2, before]);
});
