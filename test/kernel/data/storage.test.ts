import t from 'tap';
import { openStorage } from '../../../kernel/data/storage.js';
import { eachDatabase } from '../../helpers/databases.js';

t.test('values of any JSON come back; one extension does not see another’s', (t) =>
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

t.test('keys are listed by prefix, sorted by code point, at most 1,000', (t) =>
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

t.test('a key or value out of bounds is refused, and changes nothing', (t) =>
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

t.test('a write joins the transaction that runs', (t) =>
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
