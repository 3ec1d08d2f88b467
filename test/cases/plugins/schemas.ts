/** An input for a plugin's schema, and where it is checked. */
export interface SchemaCase {
  name: string;
  source: string;
  /** Makes the operation's input with Joi, as a plugin's code does. */
  schema: string;
  /** The input: `item` repeated `times` times, in a list or under numbered keys of `a`; `#` in it is the number. */
  input: { kind: 'list' | 'object' | 'text' | 'itself'; item: unknown; times: number };
  /** `here`: in the platform's process. `apart`: in the plugin's. `refused`: nowhere. */
  checked: 'here' | 'apart' | 'refused';
  status: number;
}

const alternatives = (count: number) =>
  `j.object({ a: j.array().items(j.alternatives(...Array.from({ length: ${count} }, (_, n) => j.object({ ['k' + n]: j.string().required() })))) })`;
const joi = 'the work of Joi: values × alternatives, measured';

export const schemaCases: readonly SchemaCase[] = [
  {
    name: 'an input of a few fields is checked by the platform',
    source: 'the common case',
    schema: 'j.object({ a: j.array().items(j.object({ name: j.string().required(), size: j.number() })) })',
    input: { kind: 'list', item: { name: 'x', size: 1 }, times: 20 },
    checked: 'here',
    status: 200,
  },
  {
    name: 'a long list of plain values is accepted, and only the plugin waits for its check',
    source: joi,
    schema: 'j.object({ a: j.array().items(j.number()) })',
    input: { kind: 'list', item: 7, times: 20_000 },
    checked: 'apart',
    status: 200,
  },
  {
    name: '64 KB against 401 alternatives are refused without evaluation',
    source: joi,
    schema: 'j.object({ a: j.array().items(j.alternatives(...Array.from({ length: 401 }, (_, n) => j.number().valid(n)))) })',
    input: { kind: 'list', item: 400, times: 16_000 },
    checked: 'refused',
    status: 413,
  },
  {
    name: 'objects against 201 alternatives of objects are refused',
    source: joi,
    schema: alternatives(201),
    input: { kind: 'list', item: { k200: 'x' }, times: 4_000 },
    checked: 'refused',
    status: 413,
  },
  {
    name: 'a few objects against 201 alternatives are checked by the plugin',
    source: joi,
    schema: alternatives(201),
    input: { kind: 'list', item: { k200: 'x' }, times: 20 },
    checked: 'apart',
    status: 200,
  },
  {
    name: 'the cost of nested alternatives is multiplied',
    source: 'CWE-407',
    schema: `(() => { let inner = j.object({ leaf: j.number().required() });
      for (let depth = 0; depth < 4; depth += 1) inner = j.alternatives(j.object({ a: inner.required() }), j.object({ a: inner.required(), b: j.number() }));
      return j.object({ a: j.array().items(inner) }); })()`,
    input: { kind: 'list', item: { a: { a: { a: { a: { leaf: 'no' } } } } }, times: 6_000 },
    checked: 'refused',
    status: 413,
  },
  {
    name: 'a thousand objects that must differ are compared by the plugin',
    source: 'JSON Schema validation 6.4.3: uniqueItems compares each with each',
    schema: 'j.object({ a: j.array().items(j.object({ a: j.number(), b: j.string() })).unique().max(1000) })',
    input: { kind: 'list', item: { a: '#', b: 'x' }, times: 1_000 },
    checked: 'apart',
    status: 200,
  },
  {
    name: 'a thousand large objects that must differ are refused',
    source: 'https://ajv.js.org/security.html: uniqueItems is slow',
    schema: 'j.object({ a: j.array().items(j.object().unknown()).unique().max(1000) })',
    input: { kind: 'list', item: { x: Array.from({ length: 100 }, () => 1), n: '#' }, times: 1_000 },
    checked: 'refused',
    status: 413,
  },
  {
    name: 'objects against a long list of values are refused',
    source: 'Joi compares objects with each listed value',
    schema: `j.object({ a: j.array().items(j.any().valid(...Array.from({ length: 2000 }, (_, n) => 'v' + n))) })`,
    input: { kind: 'list', item: {}, times: 500 },
    checked: 'refused',
    status: 413,
  },
  {
    name: 'empty objects with many possible keys count each key',
    source: 'Joi looks for each key that a schema names',
    schema: `j.object({ a: j.array().items(j.object(Object.fromEntries(Array.from({ length: 150 }, (_, n) => ['k' + n, j.string()])))) })`,
    input: { kind: 'list', item: {}, times: 5_000 },
    checked: 'refused',
    status: 413,
  },
  {
    name: 'many keys cost as much as the values of a list',
    source: joi,
    schema: 'j.object({ a: j.object().pattern(j.string(), j.number()) })',
    input: { kind: 'object', item: 1, times: 2_000 },
    checked: 'apart',
    status: 200,
  },
  {
    name: 'a costly pattern against a long text is refused',
    source: 'https://github.com/google/re2/wiki/WhyRE2',
    schema: 'j.object({ a: j.string().pattern(/^(a{1,30}b{1,30}){1,15}$/) })',
    input: { kind: 'text', item: 'ab', times: 100_000 },
    checked: 'refused',
    status: 413,
  },
  {
    name: 'a wrong value far down a long list is found by the plugin',
    source: joi,
    schema: 'j.object({ a: j.array().items(j.number()) })',
    input: { kind: 'list', item: 'word', times: 2_000 },
    checked: 'apart',
    status: 400,
  },
  {
    name: 'all faults of a short input are reported',
    source: 'all faults at once',
    schema: 'j.object({ a: j.array().items(j.number()) })',
    input: { kind: 'list', item: 'word', times: 90 },
    checked: 'here',
    status: 400,
  },
];
