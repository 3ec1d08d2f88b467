import t from 'tap';
import { isFailure } from '../../../../kernel/contract/index.js';
import { assertSafeValue } from '../../../../kernel/core/invoke/safe-value.js';

/** A list in a list, so many levels deep. */
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

t.test('values are counted on all levels', async (t) => {
  t.equal(assertSafeValue(undefined), 0);
  t.equal(assertSafeValue('text'), 0);
  t.equal(assertSafeValue({ a: 1, b: [true, null, { c: 'x' }] }), 6);
  t.equal(assertSafeValue({ bytes: Buffer.alloc(1_000) }), 1);
});

t.test('64 levels, any text and any other key are accepted', async (t) => {
  const text = '😀 \u2028 \u001b \ufffd';
  for (const value of [nested(64), { [text]: text }, { constructor: { prototype: {} } }]) t.doesNotThrow(() => assertSafeValue(value));
});

t.test('values that cannot be stored or traversed are rejected as malformed', async (t) => {
  const harmful: Readonly<Record<string, unknown>> = {
    'one level too many': nested(65),
    'far too many': nested(5_000),
    'a prototype': JSON.parse('{"a": [{"__proto__": {}}]}'),
    'a NUL in a text': { a: ['\0'] },
    'a NUL in a key': { a: { 'b\0': 1 } },
    'the first half of a pair': { a: '\ud83d' },
    'the second half of a pair': { a: '\ude00x' },
    'a half in a key': { '\ud83d': 1 },
  };
  for (const [name, value] of Object.entries(harmful)) {
    t.throws(() => assertSafeValue(value), { code: 'malformed_request', status: 400 }, name);
  }
});

t.test('circular values are rejected', async (t) => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  try {
    assertSafeValue(loop);
    t.fail('the value was accepted');
  } catch (fault) {
    t.ok(isFailure(fault));
  }
});
