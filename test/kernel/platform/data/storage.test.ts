import t from 'tap';
import { openStorage } from '../../../../kernel/platform/data/storage.js';
import { max_bytes, max_keys } from '../../../../kernel/platform/data/storage-sql.js';
import { eachDatabase } from '../../../helpers/databases.js';

t.test('values of any JSON are returned, and extensions are isolated', (t) =>
  eachDatabase(t, async (t, data) => {
    const [mine, other] = [openStorage(data, 'mine'), openStorage(data, 'other')];
    const values = [null, 0, '', 'text ✓', [1, { a: null }], { nested: { deep: [true] } }];
    for (const [n, value] of values.entries()) await mine.set(`key-${n}`, value);
    t.strictSame(await Promise.all(values.map((_, n) => mine.get(`key-${n}`))), values);
    t.equal(await mine.get('absent'), undefined);
    t.equal(await other.get('key-1'), undefined);
    await mine.set('key-1', 'newer');
    t.equal(await mine.get('key-1'), 'newer');
    await other.delete('key-1');
    await mine.delete('key-0');
    await mine.delete('key-0');
    t.strictSame(await mine.keys(), ['key-1', 'key-2', 'key-3', 'key-4', 'key-5']);
    t.strictSame(await other.keys(), []);
  }),
);

t.test('keys are listed by prefix in order of code points, at most 1,000', (t) =>
  eachDatabase(t, async (t, data) => {
    const storage = openStorage(data, 'mine');
    for (const key of ['b', 'B', 'a%', 'a_', 'ab', 'aB', '_a']) await storage.set(key, 1);
    t.strictSame(await storage.keys(), ['B', '_a', 'a%', 'aB', 'a_', 'ab', 'b']);
    t.strictSame(await storage.keys('a'), ['a%', 'aB', 'a_', 'ab']);
    t.strictSame(await storage.keys('a_'), ['a_']);
    t.strictSame(await storage.keys('a%'), ['a%']);
    await data.facade('kernel').transaction(async () => {
      for (let n = 0; n < 1_010; n += 1) await storage.set(`n-${n}`, n);
    });
    t.equal((await storage.keys()).length, 1_000);
  }),
);

t.test('an invalid key or value is rejected and changes nothing', (t) =>
  eachDatabase(t, async (t, data) => {
    const storage = openStorage(data, 'mine');
    await t.rejects(storage.set('', 1), { code: 'storage_key_invalid', status: 400 });
    await t.rejects(storage.set('k'.repeat(257), 1), { code: 'storage_key_invalid' });
    await t.rejects(storage.set('a\0b', 1), { code: 'storage_key_invalid' });
    await t.rejects(storage.set('big', 'x'.repeat(65_535)), {
      code: 'storage_value_too_large',
      status: 413,
      message: /65536 bytes of JSON, but has 65537/,
    });
    await storage.set('k'.repeat(256), 'x'.repeat(65_534));
    t.strictSame(await storage.keys(), ['k'.repeat(256)]);
  }),
);

t.test("an extension's keys and bytes are limited, and removal or replacement frees space", (t) =>
  eachDatabase(t, async (t, data) => {
    const fill = (extension: string, key: string, count: number, value: string) =>
      data.facade('kernel').run(
        `INSERT INTO kernel_storage (extension, key, value) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         SELECT '${extension}', '${key}-' || i, $1 FROM n`,
        [JSON.stringify(value)],
      );
    await fill('many', 'n', max_keys - 1, '');
    const many = openStorage(data, 'many');
    await many.set('last', 1);
    const full = { code: 'storage_full', status: 409 };
    await t.rejects(many.set('beyond', 1), { ...full, message: /'many' has 10000 keys, the limit/ });
    await many.set('last', 2);
    await many.delete('n-1');
    await many.set('beyond', 1);
    await openStorage(data, 'another').set('a', 1);

    const large = 'é'.repeat(30_000);
    await fill('large', 'n', Math.floor(max_bytes / 60_010), large);
    const storage = openStorage(data, 'large');
    await t.rejects(storage.set('beyond', large), { ...full, message: /'large' has reached its limit of 16777216 bytes/ });
    await storage.set('n-1', large);
    await storage.delete('n-2');
    await storage.set('beyond', large);
    await t.rejects(storage.set('beyond that', large), full);
  }),
);

t.test('storage is measured occasionally and never exceeds its limits', (t) =>
  eachDatabase(t, async (t, data) => {
    const storage = openStorage(data, 'mine');
    let written = 0;
    const fault = await data
      .facade('kernel')
      .transaction(async () => {
        for (; ; written += 1) await storage.set(`${written}`, 'x'.repeat(60_000));
      })
      .catch((thrown: unknown) => thrown);
    t.match(fault, { code: 'storage_full' });
    t.ok(written * 60_005 <= max_bytes && (written + 1) * 60_007 > max_bytes, `${written} values`);
  }),
);

t.test('a write joins the running transaction', (t) =>
  eachDatabase(t, async (t, data) => {
    const storage = openStorage(data, 'mine');
    const work = data.facade('mine').transaction(async () => {
      await storage.set('a', 1);
      throw new Error('no');
    });
    await t.rejects(work, { message: 'no' });
    t.equal(await storage.get('a'), undefined);
  }),
);
