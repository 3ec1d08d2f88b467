import type { AlternativesSchema, ArraySchema, NumberSchema, ObjectSchema, Root, Schema, StringSchema } from 'joi';
import { failures, isFailure } from '../../contract/failure.js';
import type { JsonSchema, JsonType, KeyRule } from '../../contract/schema.js';

const fail = failures({ invalid_schema: 400 });

const common = ['type', 'title', 'description', 'default', 'examples', 'enum'];
const keywords: Readonly<Record<string, readonly string[]>> = {
  any: [],
  null: [],
  boolean: [],
  string: ['minLength', 'maxLength', 'pattern', 'x-flags', 'x-pattern-name', 'format', 'x-schemes', 'x-convert'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems', 'x-single'],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties', 'allOf'],
  anyOf: ['anyOf'],
};

/** Compiles a `pattern` and its flags; throws if it can't. */
export type PatternMaker = (pattern: string, flags: string) => RegExp;

/** Factories for building schemas. */
interface Builder {
  j: Root;
  pattern: PatternMaker;
}

/** Limit of `maxItems` for lists of unique objects or arrays. */
const max_compared = 1_000;
/** Limits for compiling: Joi sorts an object's keys once per key and compares listed objects pairwise; more would take seconds. */
const max_properties = 200;
const max_listed_objects = 50;
/** Limit of `x-pattern-name`, in characters: errors repeat it. */
const max_pattern_name = 100;
const scalars: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null'];

const nativePattern: PatternMaker = (pattern, flags) => new RegExp(pattern, flags);

/**
 * Builds the Joi schema for a JSON Schema of the closed subset. The caller passes its Joi, `j`.
 *
 * @param pattern Compiler for untrusted patterns: with the default, `RegExp`, a match may take forever.
 * @throws `invalid_schema` for a keyword outside the subset, with its path, or a meaningless value.
 */
export function schemaFromData(j: Root, data: object, pattern: PatternMaker = nativePattern): Schema {
  try {
    return build({ j, pattern }, data as JsonSchema, 'schema');
  } catch (error) {
    if (isFailure(error)) throw error;
    // Joi throws assertion errors for meaningless values such as a negative length.
    throw fail('invalid_schema', `schema: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function build(by: Builder, data: JsonSchema, path: string): Schema {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw fail('invalid_schema', `${path}: expected an object`);
  const { kind, nullable } = kindOf(data, path);
  const allowed = keywords[kind];
  const unknown = Object.keys(data).find((key) => !common.includes(key) && allowed?.includes(key) !== true);
  if (allowed === undefined || unknown !== undefined) throw fail('invalid_schema', `${path}: '${unknown ?? kind}' is not supported here`);
  assertCompiles(data, path);
  let schema = schemaOfKind(by, { data, kind, path });
  if (data.enum !== undefined) schema = schema.valid(...data.enum);
  if (nullable) schema = data.enum === undefined ? schema.allow(null) : schema.valid(null);
  return withAnnotations(schema, data);
}

function assertCompiles({ properties = {}, enum: listed = [] }: JsonSchema, path: string): void {
  if (Object.keys(properties).length > max_properties)
    throw fail('invalid_schema', `${path}: an object may have ${max_properties} properties; group them in objects of their own`);
  if (Array.isArray(listed) && listed.filter((value) => typeof value === 'object').length > max_listed_objects)
    throw fail('invalid_schema', `${path}: 'enum' may list ${max_listed_objects} objects`);
}

function kindOf(data: JsonSchema, path: string): { kind: string; nullable: boolean } {
  if (data.anyOf !== undefined) return { kind: 'anyOf', nullable: false };
  const types: readonly JsonType[] = data.type === undefined ? [] : [data.type].flat();
  const kinds = types.filter((type) => type !== 'null');
  if (kinds.length > 1) throw fail('invalid_schema', `${path}: expected one type beside null, found ${kinds.join(', ')}; use anyOf`);
  const nullable = types.includes('null');
  return { kind: kinds[0] ?? (nullable ? 'null' : 'any'), nullable };
}

interface Part {
  data: JsonSchema;
  kind: string;
  path: string;
}

function schemaOfKind(by: Builder, { data, kind, path }: Part): Schema {
  switch (kind) {
    case 'string':
      return data.format === 'binary' ? by.j.binary() : text(by, data, path);
    case 'number':
      return number(by.j.number(), data);
    case 'integer':
      return number(by.j.number().integer(), data);
    case 'boolean':
      return by.j.boolean();
    case 'null':
      return by.j.valid(null);
    case 'array':
      return array(by, data, path);
    case 'object':
      return object(by, data, path);
    case 'anyOf':
      return anyOf(by, data.anyOf ?? [], path);
    default:
      return by.j.any();
  }
}

function withAnnotations(schema: Schema, data: JsonSchema): Schema {
  let annotated = schema;
  if (data.title !== undefined) annotated = annotated.label(data.title);
  if (data.description !== undefined) annotated = annotated.description(data.description);
  if (data.examples !== undefined) for (const example of data.examples) annotated = annotated.example(example);
  return data.default === undefined ? annotated : annotated.default(data.default);
}

function text(by: Builder, data: JsonSchema, path: string): Schema {
  let schema = by.j.string().min(data.minLength ?? 0);
  if (data.maxLength !== undefined) schema = schema.max(data.maxLength);
  const name = patternName(data, path);
  if (data.pattern !== undefined) schema = schema.pattern(regexp(by, data, path), name === undefined ? {} : { name });
  for (const conversion of data['x-convert'] ?? []) {
    schema = conversion === 'trim' ? schema.trim() : schema.case(conversion);
  }
  return data.format === undefined ? schema : formatted(schema, data, path);
}

/** Returns the name of the pattern in errors. Joi takes an object in its place as options. */
function patternName({ 'x-pattern-name': name }: JsonSchema, path: string): string | undefined {
  if (name === undefined || (typeof name === 'string' && name.length <= max_pattern_name)) return name;
  throw fail('invalid_schema', `${path}: 'x-pattern-name' must be a text of at most ${max_pattern_name} characters`);
}

function regexp({ pattern }: Builder, { pattern: source = '', 'x-flags': flags = '' }: JsonSchema, path: string): RegExp {
  try {
    return pattern(source, flags);
  } catch (cause) {
    if (isFailure(cause)) throw cause;
    throw fail('invalid_schema', `${path}: '${source}' is not a regular expression`, { cause });
  }
}

function formatted(schema: StringSchema, data: JsonSchema, path: string): Schema {
  switch (data.format) {
    case 'date-time':
      return schema.isoDate();
    case 'uuid':
      return schema.guid();
    case 'uri':
      return data['x-schemes'] === undefined ? schema.uri() : schema.uri({ scheme: [...data['x-schemes']] });
    case 'email':
      return schema.email();
    case 'hostname':
      return schema.hostname();
    default:
      throw fail('invalid_schema', `${path}: the format '${data.format}' is not supported`);
  }
}

function number(start: NumberSchema, data: JsonSchema): Schema {
  let schema = start;
  if (data.minimum !== undefined) schema = schema.min(data.minimum);
  if (data.maximum !== undefined) schema = schema.max(data.maximum);
  if (data.exclusiveMinimum !== undefined) schema = schema.greater(data.exclusiveMinimum);
  if (data.exclusiveMaximum !== undefined) schema = schema.less(data.exclusiveMaximum);
  return data.multipleOf === undefined ? schema : schema.multiple(data.multipleOf);
}

function array(by: Builder, data: JsonSchema, path: string): Schema {
  let schema: ArraySchema = by.j.array();
  if (data.items !== undefined) schema = schema.items(build(by, data.items, `${path}.items`));
  if (data.minItems !== undefined) schema = schema.min(data.minItems);
  if (data.maxItems !== undefined) schema = schema.max(data.maxItems);
  if (data.uniqueItems === true) schema = unique(schema, data, path);
  return data['x-single'] === true ? schema.single() : schema;
}

/** Adds uniqueness. Joi compares objects and arrays pairwise, but checks the length first, so `maxItems` must limit them. */
function unique(schema: ArraySchema, { items, maxItems = Number.POSITIVE_INFINITY }: JsonSchema, path: string): ArraySchema {
  if (isScalar(items) || maxItems <= max_compared) return schema.unique();
  throw fail('invalid_schema', `${path}: 'uniqueItems' of possible objects or arrays needs 'maxItems' of at most ${max_compared}`);
}

/** Returns whether the schema admits no objects or arrays. */
function isScalar({ enum: listed, type, anyOf: members }: JsonSchema = {}): boolean {
  if (members !== undefined) return members.every(isScalar);
  if (type === undefined) return listed !== undefined;
  return [type].flat().every((one) => scalars.includes(one));
}

function object(by: Builder, data: JsonSchema, path: string): Schema {
  const { properties, additionalProperties: others } = data;
  // `j.object()` without keys admits any key, which is right only if `additionalProperties` allows others.
  let schema: ObjectSchema = properties === undefined && others !== undefined ? by.j.object() : by.j.object(keys(by, data, path));
  if (others === true) schema = schema.unknown();
  else if (others !== undefined) schema = schema.pattern(by.j.string(), build(by, assertSchema(others, path), `${path}.*`));
  if (data.minProperties !== undefined) schema = schema.min(data.minProperties);
  if (data.maxProperties !== undefined) schema = schema.max(data.maxProperties);
  for (const rule of data.allOf ?? []) schema = keyRule(schema, rule, path);
  return schema;
}

/** Returns `additionalProperties` as a schema. `false` is a common mistake: leaving it out means the same. */
function assertSchema(others: JsonSchema, path: string): JsonSchema {
  if (typeof others !== 'boolean') return others;
  throw fail('invalid_schema', `${path}: leave out 'additionalProperties': only the names under 'properties' are accepted anyway`);
}

function keys(by: Builder, data: JsonSchema, path: string): Record<string, Schema> {
  const entries = Object.entries(data.properties ?? {}).map(([key, inner]) => {
    const schema = build(by, inner, `${path}.${key}`);
    return [key, data.required?.includes(key) === true ? schema.required() : schema] as const;
  });
  return Object.fromEntries(entries);
}

function keyRule(schema: ObjectSchema, rule: KeyRule, path: string): ObjectSchema {
  if ('anyOf' in rule) return schema.or(...peers(rule.anyOf));
  if ('oneOf' in rule) return schema.xor(...peers(rule.oneOf));
  if ('not' in rule) return schema.nand(...rule.not.required);
  throw fail('invalid_schema', `${path}.allOf: expected anyOf, oneOf or not`);
}

function peers(rules: readonly { readonly required: readonly [string] }[]): string[] {
  return rules.map(({ required: [key] }) => key);
}

/**
 * Builds alternatives. Values listed by the first member, and null, are accepted before the other members are tried in turn; each
 * of those may convert the value.
 */
function anyOf(by: Builder, members: readonly JsonSchema[], path: string): Schema {
  const [first] = members;
  const listed = first?.enum !== undefined && first.type === undefined ? first.enum : [];
  const others = members.filter((member) => (member !== first || listed.length === 0) && member.type !== 'null');
  const values = members.some((member) => member.type === 'null') ? [...listed, null] : listed;
  if (others.length === 0) return by.j.valid(...values);
  const schemas = others.map((member, index) => build(by, member, `${path}.anyOf[${index}]`));
  const schema: Schema | AlternativesSchema = schemas.length === 1 ? (schemas[0] as Schema) : by.j.alternatives(...schemas);
  return values.length === 0 ? schema : schema.allow(...values);
}
