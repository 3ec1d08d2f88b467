import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import Joi, { type Schema } from 'joi';
import t from 'tap';
import { operations } from '../../../../extensions/system/operations.js';
import type { Failure } from '../../../../kernel/contract/failure.js';
import { describeOperation } from '../../../../kernel/core/host/describe-operation.js';
import { schemaFromData } from '../../../../kernel/core/host/joi-schema.js';
import { dataFromSchema } from '../../../../kernel/core/host/json-schema.js';

const options = { abortEarly: false, stripUnknown: true, convert: true };
const words = ['', ' ', 'a', 'ab', 'A b', '7', '1.5', '-3', 'true', '2024-02-03', '2024-02-03T04:05:06Z', 'https://a.example/x', 'ftp://a'];
const others = ['me@example.com', 'a.example', '018f4d4e-7c1d-7abc-8def-0123456789ab', '[1]', '{"a":1}', 'xxxxxxxxxxxx'];

const limit = fc.integer({ min: 0, max: 4 });
const text: fc.Arbitrary<Schema> = fc
  .record({
    min: fc.option(limit),
    max: fc.option(limit.map((n) => n + 4)),
    rule: fc.constantFrom(
      'none',
      'pattern',
      'flags',
      'isoDate',
      'guid',
      'uri',
      'scheme',
      'email',
      'hostname',
      'trim',
      'lowercase',
      'uppercase',
    ),
  })
  .map(({ min, max, rule }) => {
    let schema = Joi.string();
    if (min !== null) schema = schema.min(min);
    if (max !== null) schema = schema.max(max);
    if (rule === 'pattern') return schema.pattern(/^a\/?b*/);
    if (rule === 'flags') return schema.pattern(/^A$/iu);
    if (rule === 'scheme') return schema.uri({ scheme: ['https'] });
    return rule === 'none' ? schema : schema[rule as 'trim' | 'guid']();
  });
const number: fc.Arbitrary<Schema> = fc
  .record({
    min: fc.option(limit),
    max: fc.option(limit),
    rule: fc.constantFrom('none', 'integer', 'positive', 'negative', 'port', 'half'),
  })
  .map(({ min, max, rule }) => {
    let schema = Joi.number();
    if (min !== null) schema = schema.min(min);
    if (max !== null) schema = schema.less(max);
    if (rule === 'half') return schema.multiple(0.5);
    return rule === 'none' ? schema : schema[rule as 'integer']();
  });
const listed: fc.Arbitrary<Schema> = fc
  .subarray(['a', 'ab', '7', 7, true, null], { minLength: 1 })
  .chain((values) =>
    fc.constantFrom(
      Joi.valid(...values),
      Joi.string().valid(...values.filter((one) => typeof one === 'string' || one === null), 'z'),
      Joi.number().valid(7, 1.5),
    ),
  );

const { schema } = fc.letrec<{ schema: Schema; plain: Schema }>((tie) => ({
  plain: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    number,
    listed,
    fc.constantFrom<Schema>(Joi.boolean(), Joi.any(), Joi.object(), Joi.object({})),
    fc
      .record({
        item: tie('schema'),
        other: fc.option(tie('schema')),
        rule: fc.constantFrom('none', 'single', 'unique'),
        max: fc.option(limit),
      })
      .map((made) => {
        let list = Joi.array().items(...[made.item, made.other].filter((one) => one !== null));
        if (made.max !== null) list = list.max(made.max);
        // Joi has no lists of lists from single values.
        const flat = [made.item, made.other].every((one) => one === null || one.type === 'string' || one.type === 'number');
        // Objects and lists are compared each with each, so it must be known how many there may be.
        const isFit = flat || (made.rule === 'unique' && made.max !== null);
        return made.rule === 'none' || !isFit ? list : list[made.rule as 'single']();
      }),
    fc
      .record({
        a: tie('schema'),
        b: tie('schema'),
        need: fc.boolean(),
        rule: fc.constantFrom('none', 'or', 'xor', 'nand', 'unknown', 'min', 'rest'),
      })
      .map(({ a, b, need, rule }) => {
        const object = Joi.object({ a: need ? a.required() : a, b });
        if (rule === 'unknown') return object.unknown();
        if (rule === 'min') return object.min(1);
        if (rule === 'rest') return Joi.object().pattern(Joi.string(), b);
        return rule === 'none' ? object : object[rule as 'or']('a', 'b');
      }),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => Joi.alternatives(a, b)),
  ),
  schema: fc
    .record({ plain: tie('plain'), allow: fc.option(fc.subarray(['', null, 'x', 3])), fallback: fc.boolean() })
    .map(({ plain, allow, fallback }) => {
      const open = allow === null || allow.length === 0 ? plain : plain.allow(...allow);
      return fallback ? open.default('fallback').description('what it is') : open;
    }),
}));

const leaf = fc.oneof(
  fc.constantFrom<unknown>(...words, ...others, undefined, null, true, false),
  fc.integer({ min: -5, max: 8 }),
  fc.double({ min: -2, max: 8 }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.record({ a: tie('value'), b: tie('value'), c: leaf }, { requiredKeys: [] }),
  ),
}));

function outcome(joi: Schema, given: unknown): string {
  const result = joi.validate(given, options);
  return result.error === undefined ? (JSON.stringify(result.value) ?? 'undefined') : 'refused';
}

t.test('a schema and its data form accept, reject and convert the same values', async (t) => {
  let accepted = 0;
  // A schema prints as its whole library, so the report shows its description instead.
  const shown = schema.map((joi) => ({ joi, [fc.toStringMethod]: () => JSON.stringify(joi.describe()) }));
  const property = fc.property(shown, fc.array(value, { minLength: 1, maxLength: 20 }), ({ joi }, values) => {
    const data = JSON.stringify(dataFromSchema(joi));
    const back = schemaFromData(Joi, JSON.parse(data));
    for (const given of values) {
      const expected = outcome(joi, given);
      const found = outcome(back, given);
      if (expected !== 'refused') accepted += 1;
      assert.equal(found, expected, `${data} with ${JSON.stringify(given)}`);
    }
  });
  fc.assert(property, { numRuns: 1500 });
  t.ok(accepted > 500, 'enough values were accepted for a meaningful comparison');
});

t.test('the data form of a schema is standard JSON Schema', async (t) => {
  const joi = Joi.object({
    name: Joi.string()
      .min(2)
      .max(64)
      .pattern(/^[a-z]+$/)
      .required()
      .description('Who it is'),
    note: Joi.string().allow('', null),
    code: Joi.string().length(4).allow(''),
    count: Joi.number().integer().positive().max(9).default(3),
    kind: Joi.string().valid('a', 'b', null),
    at: Joi.string().isoDate(),
    ids: Joi.array().items(Joi.number().integer(), Joi.string().guid()).min(1).single(),
    any: Joi.any(),
    either: Joi.alternatives(Joi.string(), Joi.boolean()).allow(null),
    open: Joi.object(),
    map: Joi.object().pattern(Joi.string(), Joi.number()),
  }).or('note', 'code');
  t.strictSame(dataFromSchema(joi), {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 64, pattern: '^[a-z]+$', description: 'Who it is' },
      note: { type: ['string', 'null'] },
      code: { anyOf: [{ enum: [''] }, { type: 'string', minLength: 4, maxLength: 4 }] },
      count: { type: 'integer', exclusiveMinimum: 0, maximum: 9, default: 3 },
      kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
      at: { type: 'string', minLength: 1, format: 'date-time' },
      ids: {
        type: 'array',
        items: { anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1, format: 'uuid' }] },
        minItems: 1,
        'x-single': true,
      },
      any: {},
      either: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'boolean' }, { type: 'null' }] },
      open: { type: 'object', additionalProperties: true },
      map: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['name'],
    allOf: [{ anyOf: [{ required: ['note'] }, { required: ['code'] }] }],
  });
});

t.test('a rule without a data form is rejected with its path', async (t) => {
  const cases: [Schema, RegExp][] = [
    [Joi.object({ a: Joi.string().creditCard() }), /value\.a: Joi's rule 'creditCard'/],
    [Joi.string().custom((given: unknown) => given), /Joi's rule 'custom'/],
    [Joi.string().email({ tlds: false }), /rule 'email' with these options/],
    [Joi.string().pattern(/a/, { invert: true }), /rule 'pattern' with these options/],
    [Joi.object({ a: Joi.any(), b: Joi.when('a', { is: 1, otherwise: Joi.required() }) }), /value\.b: Joi's 'whens'/],
    [Joi.object({ a: Joi.any() }).rename('b', 'a'), /Joi's 'renames'/],
    [Joi.object({ a: Joi.any().forbidden() }), /value\.a: a forbidden key/],
    [Joi.string().default(() => 'now'), /a default must be a plain value/],
    [Joi.string().min(3, 'utf8'), /rule 'min'/],
    [Joi.date(), /Joi's type 'date'/],
    [Joi.number().strict(), /preference 'convert'/],
    [Joi.array().items(Joi.string().required()), /items that must be there/],
    [Joi.any().invalid(1), /Joi's 'invalid'/],
  ];
  for (const [joi, message] of cases) t.throws(() => dataFromSchema(joi), { message });
});

t.test('a keyword outside the subset is rejected with its path', async (t) => {
  const cases: [object, string][] = [
    [{ type: 'object', properties: { a: { $ref: '#' } } }, "schema.a: '$ref' is not supported here"],
    [{ type: 'string', minimum: 3 }, "schema: 'minimum' is not supported here"],
    [{ type: 'strange' }, "schema: 'strange' is not supported here"],
    [{ type: ['string', 'number'] }, 'schema: expected one type beside null, found string, number; use anyOf'],
    [{ type: 'array', items: { type: 'string', format: 'colour' } }, "schema.items: the format 'colour' is not supported"],
    [{ type: 'string', pattern: '(' }, "schema: '(' is not a regular expression"],
    [{ type: 'array', items: 'string' }, 'schema.items: expected an object'],
    [{ type: 'object', additionalProperties: 'string' }, 'schema.*: expected an object'],
    [
      { type: 'object', properties: { a: { type: 'object', additionalProperties: false } } },
      "schema.a: leave out 'additionalProperties': only the names under 'properties' are accepted anyway",
    ],
    [
      { type: 'array', uniqueItems: true, maxItems: 1_001, items: { anyOf: [{ type: 'string' }, { type: 'object' }] } },
      "schema: 'uniqueItems' of possible objects or arrays needs 'maxItems' of at most 1000",
    ],
    [{ type: 'array', uniqueItems: true }, "schema: 'uniqueItems' of possible objects or arrays needs 'maxItems' of at most 1000"],
    [{ type: 'string', minLength: -1 }, 'schema: limit must be a positive integer or reference'],
  ];
  for (const [data, message] of cases) {
    const failure = caught(() => schemaFromData(Joi, data));
    t.strictSame([failure.code, failure.message], ['invalid_schema', message]);
  }
});

function caught(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    return error as Failure;
  }
  throw new Error('nothing was thrown');
}

t.test("an operation's data form states all defaults", async (t) => {
  const plain = { summary: 'Ends it', method: 'DELETE', path: '/api/things/{id}', who: 'admin' } as const;
  t.strictSame(describeOperation({ ...plain, input: (j) => j.object({ id: j.number().required() }), dangerous: true }), {
    ...plain,
    dangerous: true,
    kind: 'call',
    input: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    status: 204,
  });
  t.strictSame(describeOperation({ ...plain, answer: (j) => j.object({ ok: j.boolean() }) }), {
    ...plain,
    kind: 'call',
    input: { type: 'object', properties: {} },
    answer: { type: 'object', properties: { ok: { type: 'boolean' } } },
    status: 200,
  });
  t.equal(describeOperation({ ...plain, kind: 'stream' }).status, 200);
});

t.test('the built manifest matches the table of operations', async (t) => {
  const file = new URL('../../../../extensions/system/manifest.json', import.meta.url);
  const built = JSON.parse(await readFile(file, 'utf8')) as { contributes: { operations: unknown } };
  const now = Object.fromEntries(Object.entries(operations).map(([id, operation]) => [id, describeOperation(operation)]));
  t.strictSame(built.contributes.operations, JSON.parse(JSON.stringify(now)));
});
