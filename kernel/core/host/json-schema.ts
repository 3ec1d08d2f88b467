import assert from 'node:assert/strict';
import type { Schema } from 'joi';
import type { JsonSchema, JsonType, KeyRule } from '../../contract/schema.js';

/** The supported part of Joi's `describe()`. Any other key fails an assertion. */
interface JoiDescription {
  type: string;
  flags?: Record<string, unknown>;
  rules?: { name: string; args?: Record<string, unknown> }[];
  allow?: unknown[];
  keys?: Record<string, JoiDescription>;
  items?: JoiDescription[];
  matches?: { schema?: JoiDescription }[];
  patterns?: { schema?: JoiDescription; regex?: string; rule: JoiDescription }[];
  dependencies?: { rel: string; peers: string[] }[];
  examples?: unknown[];
  preferences?: Record<string, unknown>;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Draft = Writable<JsonSchema>;

const known_keys = ['type', 'flags', 'rules', 'allow', 'keys', 'items', 'matches', 'patterns', 'dependencies', 'examples', 'preferences'];
// These don't affect validation.
const remarks = ['metas', 'notes', 'tags'];

/** Converts a Joi schema to JSON Schema. Fails an assertion for a rule that JSON Schema can't express. */
export function dataFromSchema(schema: Schema): JsonSchema {
  return convert(schema.describe() as JoiDescription, 'value');
}

function convert(described: JoiDescription, path: string): JsonSchema {
  for (const key of Object.keys(described)) {
    assert(known_keys.includes(key) || remarks.includes(key), `${path}: Joi's '${key}' can't be written as data`);
  }
  for (const key of Object.keys(described.preferences ?? {})) {
    assert(key === 'messages', `${path}: Joi's preference '${key}' can't be written as data`);
  }
  const { flags = {}, allow = [] } = described;
  const draft: Draft = flags.only === true ? onlyValues(described, path) : withValues(body(described, path), allow);
  applyFlags(draft, flags, path);
  if (described.examples !== undefined) draft.examples = described.examples;
  return draft;
}

function onlyValues(described: JoiDescription, path: string): Draft {
  // `override` marks that earlier values were replaced; it is not a value.
  const values = (described.allow ?? []).filter((value) => typeof value !== 'object' || value === null);
  if (described.type === 'any') return { enum: values };
  assert(['string', 'number', 'boolean'].includes(described.type), `${path}: values of type '${described.type}' can't be listed as data`);
  const draft = body({ ...described, allow: [] }, path);
  // Joi accepts listed values before any rule runs, so only the type and conversions matter.
  const listed: Draft = { enum: values };
  listed.type = values.includes(null) ? [draft.type as JsonType, 'null'] : (draft.type as JsonType);
  if (draft['x-convert'] !== undefined) listed['x-convert'] = draft['x-convert'];
  return listed;
}

/** Adds values that are accepted regardless of the rules. */
function withValues(draft: Draft, allow: readonly unknown[]): Draft {
  const values = new Set(allow);
  const plain = draft.pattern === undefined && draft.format === undefined;
  if (draft.type === 'string' && values.has('') && plain && draft.minLength === 1) {
    delete draft.minLength;
    values.delete('');
  }
  const nullable = values.delete(null);
  if (values.size > 0) draft = { anyOf: [{ enum: [...values] }, draft] };
  if (!nullable) return draft;
  if (draft.anyOf !== undefined) return { ...draft, anyOf: [...draft.anyOf, { type: 'null' }] };
  return draft.type === undefined ? draft : { ...draft, type: [draft.type as JsonType, 'null'] };
}

function applyFlags(draft: Draft, flags: Record<string, unknown>, path: string): void {
  for (const [name, value] of Object.entries(flags)) {
    if (name === 'description') draft.description = String(value);
    else if (name === 'label') draft.title = String(value);
    else if (name === 'default') draft.default = constant(value, path);
    else if (name === 'presence') assert(value !== 'forbidden', `${path}: a forbidden key can't be written as data`);
    else assert(['only', 'single', 'unknown', 'unit'].includes(name), `${path}: Joi's flag '${name}' can't be written as data`);
  }
}

function constant(value: unknown, path: string): unknown {
  const special = typeof value === 'object' && value !== null && 'special' in value;
  assert(typeof value !== 'function' && !special, `${path}: a default must be a plain value`);
  return value;
}

function body(described: JoiDescription, path: string): Draft {
  switch (described.type) {
    case 'any':
      assert(described.rules === undefined, `${path}: Joi's rule '${described.rules?.[0]?.name}' can't be written as data`);
      return {};
    case 'string':
      return text(described, path);
    case 'number':
      return rules({ type: 'number' }, described, path);
    case 'boolean':
      return rules({ type: 'boolean' }, described, path);
    case 'binary':
      return rules({ type: 'string', format: 'binary' }, described, path);
    case 'array':
      return array(described, path);
    case 'object':
      return object(described, path);
    case 'alternatives':
      return alternatives(described, path);
    default:
      assert.fail(`${path}: Joi's type '${described.type}' can't be written as data`);
  }
}

function text(described: JoiDescription, path: string): Draft {
  const draft = rules({ type: 'string', minLength: 1 }, described, path);
  if (draft.minLength === 0) delete draft.minLength;
  return draft;
}

function array(described: JoiDescription, path: string): Draft {
  const draft = rules({ type: 'array' }, described, path);
  const items = (described.items ?? []).map((item) => {
    assert(item.flags?.presence === undefined, `${path}: items that must be there can't be written as data`);
    return convert(item, `${path}[]`);
  });
  if (items.length === 1) draft.items = items[0] as JsonSchema;
  if (items.length > 1) draft.items = { anyOf: items };
  if (described.flags?.single === true) draft['x-single'] = true;
  return draft;
}

function object(described: JoiDescription, path: string): Draft {
  const draft: Draft = { type: 'object' };
  const entries = Object.entries(described.keys ?? {});
  if (described.keys !== undefined)
    draft.properties = Object.fromEntries(entries.map(([key, inner]) => [key, convert(inner, `${path}.${key}`)]));
  const required = entries.filter(([, inner]) => inner.flags?.presence === 'required').map(([key]) => key);
  if (required.length > 0) draft.required = required;
  const bare = described.keys === undefined && described.patterns === undefined;
  if (bare || described.flags?.unknown === true) draft.additionalProperties = true;
  if (described.patterns !== undefined) draft.additionalProperties = keyPattern(described.patterns, path);
  if (described.dependencies !== undefined) draft.allOf = described.dependencies.map((one) => keyRule(one, path));
  return rules(draft, described, path);
}

function keyPattern(patterns: NonNullable<JoiDescription['patterns']>, path: string): JsonSchema {
  const [first, ...rest] = patterns;
  const anyKey = first?.schema?.type === 'string' && Object.keys(first.schema).length === 1;
  assert(first !== undefined && anyKey && rest.length === 0, `${path}: only one pattern of keys, j.string(), can be written as data`);
  return convert(first.rule, `${path}.*`);
}

function keyRule({ rel, peers }: { rel: string; peers: string[] }, path: string): KeyRule {
  const each = peers.map((peer) => ({ required: [peer] as [string] }));
  if (rel === 'or') return { anyOf: each };
  if (rel === 'xor') return { oneOf: each };
  assert(rel === 'nand', `${path}: Joi's '${rel}' between keys can't be written as data`);
  return { not: { required: peers } };
}

function alternatives(described: JoiDescription, path: string): Draft {
  const matches = (described.matches ?? []).map(({ schema }) => {
    assert(schema !== undefined, `${path}: conditions can't be written as data`);
    return convert(schema, path);
  });
  const [first, ...rest] = matches;
  // A bare list in first position would be read as additional values of the next member (see `withValues`).
  const bare = first?.enum !== undefined && first.type === undefined;
  return { anyOf: bare ? [{ anyOf: [first] }, ...rest] : matches };
}

const lengths: Readonly<Record<string, readonly [min: keyof Draft, max: keyof Draft]>> = {
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};

const formats: Readonly<Record<string, JsonSchema['format']>> = {
  isoDate: 'date-time',
  guid: 'uuid',
  uri: 'uri',
  email: 'email',
  hostname: 'hostname',
};

function rules(draft: Draft, described: JoiDescription, path: string): Draft {
  for (const { name, args = {} } of described.rules ?? []) {
    const known = length(draft, described.type, { name, args }) || numeric(draft, name, args) || textual(draft, name, args);
    assert(known, `${path}: Joi's rule '${name}'${args.options === undefined ? '' : ' with these options'} can't be written as data`);
  }
  return draft;
}

function length(draft: Draft, type: string, { name, args }: { name: string; args: Record<string, unknown> }): boolean {
  const pair = lengths[type];
  if (pair === undefined || typeof args.limit !== 'number' || args.encoding !== undefined) return false;
  if (!['min', 'max', 'length'].includes(name)) return false;
  if (name !== 'max') Object.assign(draft, { [pair[0]]: args.limit });
  if (name !== 'min') Object.assign(draft, { [pair[1]]: args.limit });
  return true;
}

function numeric(draft: Draft, name: string, args: Record<string, unknown>): boolean {
  const limit = typeof args.limit === 'number' && draft.type !== 'string' ? args.limit : undefined;
  if (name === 'integer') draft.type = 'integer';
  else if (name === 'min' && limit !== undefined) atLeast(draft, 'minimum', limit);
  else if (name === 'max' && limit !== undefined) atMost(draft, 'maximum', limit);
  else if (name === 'sign' && args.sign === 'positive') atLeast(draft, 'exclusiveMinimum', 0);
  else if (name === 'sign') atMost(draft, 'exclusiveMaximum', 0);
  else if (name === 'greater' && limit !== undefined) atLeast(draft, 'exclusiveMinimum', limit);
  else if (name === 'less' && limit !== undefined) atMost(draft, 'exclusiveMaximum', limit);
  else if (name === 'multiple' && typeof args.base === 'number') draft.multipleOf = args.base;
  else if (name === 'port') port(draft);
  else if (name === 'unique' && Object.keys(args).length === 0) draft.uniqueItems = true;
  else return false;
  return true;
}

function port(draft: Draft): void {
  draft.type = 'integer';
  atLeast(draft, 'minimum', 0);
  atMost(draft, 'maximum', 65535);
}

// Two Joi rules may set the same limit; the stricter applies.
function atLeast(draft: Draft, key: 'minimum' | 'exclusiveMinimum', limit: number): void {
  draft[key] = Math.max(draft[key] ?? limit, limit);
}

function atMost(draft: Draft, key: 'maximum' | 'exclusiveMaximum', limit: number): void {
  draft[key] = Math.min(draft[key] ?? limit, limit);
}

function textual(draft: Draft, name: string, args: Record<string, unknown>): boolean {
  const options = args.options as { name?: string; invert?: boolean; scheme?: unknown } | undefined;
  if (name === 'pattern') return pattern(draft, String(args.regex), options);
  if (name === 'trim' && args.enabled === true) return conversion(draft, 'trim');
  if (name === 'case') return conversion(draft, args.direction as 'lower' | 'upper');
  const format = formats[name];
  if (format === undefined || draft.format !== undefined) return false;
  draft.format = format;
  return options === undefined || (name === 'uri' && schemes(draft, options));
}

function conversion(draft: Draft, name: 'trim' | 'lower' | 'upper'): boolean {
  draft['x-convert'] = [...(draft['x-convert'] ?? []), name];
  return true;
}

function schemes(draft: Draft, options: object): boolean {
  const { scheme, ...others } = options as { scheme?: unknown };
  const given = [scheme].flat();
  if (Object.keys(others).length > 0 || !given.every((one): one is string => typeof one === 'string')) return false;
  draft['x-schemes'] = given;
  return true;
}

function pattern(draft: Draft, regex: string, options: { name?: string; invert?: boolean } | undefined): boolean {
  if (draft.pattern !== undefined || options?.invert === true) return false;
  const end = regex.lastIndexOf('/');
  draft.pattern = regex.slice(1, end);
  if (end + 1 < regex.length) draft['x-flags'] = regex.slice(end + 1);
  if (options?.name !== undefined) draft['x-pattern-name'] = options.name;
  return true;
}
