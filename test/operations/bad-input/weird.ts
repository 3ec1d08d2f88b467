import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../../kernel/contract/schema.js';

/** Any value, rather one that comes close to what the schema admits. */
export function weird(schema: JsonSchema): Arbitrary<unknown> {
  return fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    ...texts,
    fc.integer(),
    fc.double(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.constantFrom(...nearBounds(schema)),
  );
}

/** Texts that are not well-formed Unicode. */
const halves = ['\ud800', 'a\udfffb', '\udc00\ud800'] as const;

/** Made once: each has a table of all characters. */
const texts = [
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: 'grapheme-composite', maxLength: 80 }),
  fc.tuple(fc.string({ minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 2_000 })).map(([text, times]) => text.repeat(times)),
  fc.constantFrom(...halves),
  fc.uuid(),
  fc.webUrl(),
];

/** The values at the bounds of a schema, and those just beyond. */
function nearBounds(schema: JsonSchema): unknown[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, enum: listed } = schema;
  const around = (bound: number | undefined) => (bound === undefined ? [] : [bound - 1, bound, bound + 1, bound + 0.5]);
  const lengths = (bound: number | undefined) => around(bound).filter((length) => length >= 0 && Number.isInteger(length));
  return [
    null,
    ...around(minimum),
    ...around(maximum),
    ...[...lengths(minLength), ...lengths(maxLength)].flatMap((length) => ['x'.repeat(length), ' '.repeat(length), '😀'.repeat(length)]),
    ...[...lengths(minItems), ...lengths(maxItems)].map((length) => Array.from({ length }, () => 'x')),
    ...(listed ?? []).map((value) => [value, value]),
  ];
}
