/** The schema of a tool as its server offers it, and as a model's server gets it. */
export interface SchemaCase {
  /** A claim. */
  name: string;
  /** The rule or the report behind it. */
  source: string;
  offered: unknown;
  /** The whole schema; left out where only the rules for all count. */
  told?: object;
  /** Inputs that the tool takes, and that the model must be able to write. */
  takes?: readonly object[];
}

const openai = 'platform.openai.com/docs/guides/function-calling';
const draft = 'json-schema.org/draft/2020-12/json-schema-validation';
const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const one = (value: object) => object({ x: value });
const anything = {
  anyOf: [text, { type: 'number' }, { type: 'boolean' }, object({}), { type: 'array', items: text }],
};
const node = { type: 'object', properties: { name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } } };

/** Objects within objects. */
function deep(levels: number): object {
  return levels === 0 ? text : { type: 'object', properties: { deeper: deep(levels - 1) } };
}

/** References that double with each step. */
function doubling(steps: number): object {
  const pair = (at: number) => ({ type: 'object', properties: { a: { $ref: `#/$defs/d${at}` }, b: { $ref: `#/$defs/d${at}` } } });
  const defs = Object.fromEntries(Array.from({ length: steps }, (_, at) => [`d${at}`, at === steps - 1 ? text : pair(at + 1)]));
  return { ...pair(0), $defs: defs };
}

export const schemaCases: readonly SchemaCase[] = [
  {
    name: 'an object schema without properties gets an empty list of them',
    source: 'xpzouying/xiaohongshu-mcp#677; neo4j/mcp#216',
    offered: { type: 'object' },
    told: object({}),
    takes: [{}],
  },
  { name: 'an empty schema becomes an object schema', source: 'softwaremill/sttp-ai#521', offered: {}, told: object({}) },
  {
    name: 'null as the required list becomes an empty list',
    source: 'earendil-works/pi#5615; NousResearch/hermes-agent#66964',
    offered: { type: 'object', properties: { x: text }, required: null },
    told: one(text),
  },
  {
    name: 'null as the properties becomes an empty object',
    source: 'earendil-works/pi#5615',
    offered: { type: 'object', properties: null },
    told: object({}),
  },
  {
    name: 'the dialect, ids, titles and examples are removed',
    source: openai,
    offered: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'x',
      title: 'X',
      ...one({ ...text, title: 'T', examples: ['a'], $comment: 'c', deprecated: true }),
    },
    told: one(text),
  },
  {
    name: 'references are inlined',
    source: `${draft}; pydantic writes $defs`,
    offered: {
      ...one({ $ref: '#/$defs/Colour', description: 'Which' }),
      $defs: { Colour: { enum: ['red', 'blue'], description: 'A colour' } },
    },
    told: one({ description: 'Which', type: 'string', enum: ['red', 'blue'] }),
  },
  {
    name: 'references of older drafts, into properties and with escapes are inlined',
    source: 'RFC 6901',
    offered: { ...object({ a: { $ref: '#/definitions/a~1b' }, b: { $ref: '#/properties/a' } }), definitions: { 'a/b': text } },
    told: object({ a: text, b: text }),
  },
  {
    name: 'an external reference becomes a schema for any value',
    source: draft,
    offered: one({ $ref: 'https://example.org/schema.json' }),
    told: one(anything),
    takes: [{ x: 'a' }, { x: 1 }],
  },
  {
    name: 'a reference to an inherited property becomes a schema for any value',
    source: draft,
    offered: one({ $ref: '#/constructor/prototype' }),
    told: one(anything),
  },
  {
    name: 'a recursive schema is expanded to a limited depth',
    source: draft,
    offered: { ...one({ $ref: '#/$defs/node' }), $defs: { node } },
  },
  {
    name: 'a reference to itself is resolved without a loop',
    source: draft,
    offered: { ...one({ $ref: '#/$defs/a' }), $defs: { a: { $ref: '#/$defs/a' } } },
    told: one(anything),
  },
  {
    name: 'a root that refers to itself is expanded to a limited depth',
    source: draft,
    offered: { type: 'object', properties: { parent: { $ref: '#' } } },
  },
  {
    name: 'a reference as the root is inlined',
    source: `${draft}; zod-to-json-schema writes it`,
    offered: { $ref: '#/definitions/Input', definitions: { Input: object({ x: text }, ['x']) } },
    told: object({ x: text }, ['x']),
  },
  {
    name: 'true as the schema of items becomes text items',
    source: draft,
    offered: one({ type: 'array', items: true }),
    told: one({ type: 'array', items: text }),
  },
  { name: 'a property with the schema false is removed', source: draft, offered: object({ x: false, y: text }), told: object({ y: text }) },
  {
    name: 'an array without items gets a schema of items',
    source: 'microsoft/vscode#284536; catatafishen/agentbridge#424',
    offered: one({ type: 'array' }),
    told: one({ type: 'array', items: text }),
  },
  {
    name: 'a list of types becomes anyOf',
    source: `${draft}: servers that read one type alone refuse a list`,
    offered: one({ type: ['string', 'null'], description: 'A name', maxLength: 5 }),
    told: one({ description: 'A name', anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] }),
    takes: [{ x: 'a' }, { x: null }],
  },
  {
    name: 'a nullable value becomes anyOf',
    source: 'spec.openapis.org/oas/v3.0.3: nullable',
    offered: one({ type: 'integer', nullable: true, minimum: 1 }),
    told: one({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }),
    takes: [{ x: null }, { x: 1 }],
  },
  {
    name: 'null among enumerated values becomes anyOf',
    source: draft,
    offered: one({ enum: ['a', null, 'a'] }),
    told: one({
      anyOf: [
        { type: 'string', enum: ['a'] },
        { type: 'null', enum: [null] },
      ],
    }),
    takes: [{ x: null }, { x: 'a' }],
  },
  {
    name: 'a constant becomes an enumeration of one value',
    source: draft,
    offered: one({ const: 'a' }),
    told: one({ type: 'string', enum: ['a'] }),
  },
  {
    name: 'a missing type is inferred from the other keywords',
    source: draft,
    offered: object({ a: { properties: { b: { items: { minimum: 0 } } } } }),
    told: object({ a: object({ b: { type: 'array', items: { type: 'number', minimum: 0 } } }) }),
  },
  {
    name: 'a schema without a type allows any value',
    source: draft,
    offered: one({ description: 'Whatever' }),
    told: one({ description: 'Whatever', ...anything }),
    takes: [{ x: { a: 1 } }, { x: [] }, { x: true }],
  },
  {
    name: 'anyOf at the root is merged into one object',
    source: 'docs.anthropic.com/en/docs/build-with-claude/tool-use: no anyOf at the top level',
    offered: {
      anyOf: [object({ kind: { const: 'a' }, x: text }, ['kind', 'x']), object({ kind: { const: 'b' }, y: text }, ['kind', 'y'])],
    },
    told: object(
      {
        kind: {
          anyOf: [
            { type: 'string', enum: ['a'] },
            { type: 'string', enum: ['b'] },
          ],
        },
        x: text,
        y: text,
      },
      ['kind'],
    ),
    takes: [
      { kind: 'a', x: '1' },
      { kind: 'b', y: '2' },
    ],
  },
  {
    name: 'alternatives of required lists leave the properties unchanged',
    source: draft,
    offered: { ...object({ x: text, y: text }), oneOf: [{ required: ['x'] }, { required: ['y'] }] },
    told: object({ x: text, y: text }),
    takes: [{ x: '1' }, { y: '1' }],
  },
  {
    name: 'an object made of several schemas becomes one object',
    source: draft,
    offered: { allOf: [object({ x: text }, ['x']), { $ref: '#/$defs/more' }], $defs: { more: object({ y: text }, ['y']) } },
    told: object({ x: text, y: text }, ['x', 'y']),
    takes: [{ x: '1', y: '2' }],
  },
  {
    name: 'allOf with a single schema becomes that schema',
    source: 'pydantic writes a reference with a default so',
    offered: { ...one({ allOf: [{ $ref: '#/$defs/Mode' }], default: 'a' }), $defs: { Mode: { type: 'string', enum: ['a', 'b'] } } },
    told: one({ type: 'string', enum: ['a', 'b'], default: 'a' }),
  },
  {
    name: 'a nested anyOf is kept, with its common keywords',
    source: draft,
    offered: one({ type: 'string', oneOf: [{ minLength: 1 }, { enum: ['-'] }] }),
    told: one({
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'string', enum: ['-'] },
      ],
    }),
    takes: [{ x: '-' }, { x: 'ab' }],
  },
  {
    name: 'a required key without a property gets a property',
    source: 'ai.google.dev/api/caching: each requirement needs its property',
    offered: object({}, ['x']),
    told: object({ x: anything }, ['x']),
  },
  {
    name: 'formats and patterns that not all servers support move into the description',
    source: 'ggml-org/llama.cpp, grammars: patterns are read in part; ai.google.dev/api/caching: formats of a text',
    offered: object({
      a: { ...text, format: 'uri', description: 'Where.' },
      b: { ...text, pattern: '^(?!x)\\p{L}+$' },
      c: { ...text, format: 'date-time' },
    }),
    told: object({
      a: { description: 'Where. Format: uri.', type: 'string' },
      b: { description: 'Pattern: ^(?!x)\\p{L}+$', type: 'string' },
      c: { type: 'string', format: 'date-time' },
    }),
  },
  {
    name: 'bounds of an older draft are converted',
    source: 'json-schema.org/draft-04: a bound is marked as exclusive',
    offered: one({ type: 'number', minimum: 0, exclusiveMinimum: true, format: 'double' }),
    told: one({ type: 'number', minimum: 0, exclusiveMinimum: 0 }),
  },
  {
    name: 'a tuple becomes a list of any of its schemas',
    source: draft,
    offered: one({ type: 'array', prefixItems: [text, { type: 'number' }], items: false }),
    told: one({ type: 'array', items: { anyOf: [text, { type: 'number' }] } }),
    takes: [{ x: ['a', 1] }],
  },
  {
    name: 'keywords that no server supports are removed and left to the tool',
    source: draft,
    offered: {
      ...one({
        type: 'object',
        patternProperties: { '^a': text },
        propertyNames: { maxLength: 3 },
        unevaluatedProperties: false,
        minProperties: 1,
      }),
      if: { required: ['x'] },
      else: { required: ['y'] },
      dependentRequired: { x: ['y'] },
      not: { required: ['z'] },
    },
    told: one(object({})),
  },
  {
    name: 'additional properties stay allowed or forbidden',
    source: draft,
    offered: object({ x: { type: 'object', additionalProperties: text } }, [], { additionalProperties: false }),
    told: object({ x: object({}, [], { additionalProperties: text }) }, [], { additionalProperties: false }),
  },
  {
    name: 'a deeply nested schema is truncated',
    source: 'platform.openai.com/docs/guides/structured-outputs: levels are bounded',
    offered: deep(60),
  },
  { name: 'references that grow exponentially are limited', source: draft, offered: doubling(30) },
];
