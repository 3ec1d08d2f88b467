import t from 'tap';
import { importWeb } from '../../helpers/web.js';

const { jsonText } = await importWeb<{ jsonText: (value: unknown) => string }>('kit/data/json-text.ts');

const nested = (levels: number) => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

t.test('a value is written as JSON, a text as it is', async (t) => {
  t.equal(jsonText({ a: [1, null], b: 'x' }), '{\n  "a": [\n    1,\n    null\n  ],\n  "b": "x"\n}');
  t.equal(jsonText('plain'), 'plain');
  t.equal(jsonText(undefined), '');
});

t.test('names that every object has are names', async (t) => {
  t.equal(jsonText(JSON.parse('{"__proto__":{"a":1},"constructor":2}')), '{\n  "__proto__": {\n    "a": 1\n  },\n  "constructor": 2\n}');
});

t.test('what is too deep, too much or too long is left out, and a mark says so', async (t) => {
  t.match(jsonText(nested(5_000)), /"…"/);
  t.match(jsonText(Array.from({ length: 30_000 }, (_, index) => index)), /… \(\+10000\)/);
  t.match(jsonText('x'.repeat(300_000)), /… \(\+100000\)$/);
  t.ok(jsonText(Array.from({ length: 2_000 }, () => nested(60))).length < 200_100);
});
