import { isRecord } from '../json.js';
import { resolveReference } from './schema-references.js';

type Schema = Readonly<Record<string, unknown>>;

/** Maximum depth; model servers reject deeper schemas. Deeper parts accept anything. */
const max_depth = 8;
/** Maximum number of subschemas: references multiply them. */
const max_parts = 500;
/** Maximum members of a choice or of `allOf`. */
const max_members = 50;
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Keywords that servers know, by type. */
const keptKeywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['minItems', 'maxItems'],
};
/** The only format that all servers accept. */
const known_format = 'date-time';

/**
 * Converts the input schema of any tool to one that strict servers accept: an object with `properties` and `required`,
 * one type for each part, references resolved, and only keywords that all servers know. It never requires more than the
 * tool does: constraints that can't be expressed are left to the tool's own check, and described in text if that helps
 * a model.
 */
export function modelSchema(input: unknown): object {
  return { type: 'object', ...new Writer(input).root() };
}

/** Converts one document. */
class Writer {
  readonly #document: unknown;
  #parts = 0;

  constructor(document: unknown) {
    this.#document = document;
  }

  /** Converts the root. Servers reject alternatives there, so their properties are merged. */
  root(): Schema {
    const { schema, path } = this.#resolved(this.#document, []);
    return this.#object(
      merged(schema, (part) => this.#resolved(part, path).schema),
      path,
    );
  }

  #write(found: unknown, above: readonly unknown[]): Schema {
    this.#parts += 1;
    if (above.length >= max_depth || this.#parts > max_parts)
      return { type: 'object', properties: {}, required: [], additionalProperties: true };
    const { schema, path } = this.#resolved(found, above);
    const described = typeof schema.description === 'string' ? { description: schema.description } : {};
    const written = this.#typed(schema, [...path, schema]);
    return { ...described, ...written };
  }

  #typed(schema: Schema, path: readonly unknown[]): Schema {
    const members = alternativesOf(schema);
    if (members) return this.#anyOf(members, path);
    const all = typesOf(schema);
    if (all.length !== 1)
      return this.#anyOf(
        (all.length === 0 ? anyTypes : all).map((type) => ({ ...withoutType(schema), type })),
        path,
      );
    const type = all[0] as string;
    return { ...this.#ofType(type, schema, path), ...valuesOf(schema), ...notesOf(schema) };
  }

  #ofType(type: string, schema: Schema, path: readonly unknown[]): Schema {
    if (type === 'object')
      return {
        type,
        ...this.#object(
          merged(schema, (part) => this.#resolved(part, path).schema),
          path,
        ),
      };
    if (type === 'array') return { type, items: this.#items(schema, path), ...picked(schema, keptKeywords.array) };
    return { type, ...boundsOf(picked(schema, keptKeywords[type])) };
  }

  #anyOf(members: readonly unknown[], path: readonly unknown[]): Schema {
    const written = members.filter((member) => member !== false).map((member) => this.#write(member, path));
    const distinct = [...new Map(written.map((each) => [JSON.stringify(each), each])).values()];
    return distinct.length === 1 ? (distinct[0] as Schema) : { anyOf: distinct };
  }

  #items({ items, prefixItems }: Schema, path: readonly unknown[]): Schema {
    const listed = [prefixItems, items].find(Array.isArray) as unknown[] | undefined;
    if (listed?.length) return this.#anyOf(listed, path);
    // An unconstrained item would be a schema without a type.
    return isRecord(items) && Object.keys(items).length > 0 ? this.#write(items, path) : { type: 'string' };
  }

  #object(schema: Schema, path: readonly unknown[]): Schema {
    const { properties, required, additionalProperties, description } = schema;
    const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
    const given = isRecord(properties) ? Object.entries(properties).filter(([, inner]) => inner !== false) : [];
    // Servers reject a required name without a property.
    const missing = names.filter((name) => !given.some(([key]) => key === name)).map((name) => [name, {}] as const);
    const written = [...given, ...missing].map(([key, inner]) => [key, this.#write(inner, path)] as const);
    return {
      ...(typeof description === 'string' ? { description } : {}),
      properties: Object.fromEntries(written),
      // Some servers read a missing list as null.
      required: [...new Set(names)],
      ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
      ...(isRecord(additionalProperties) ? { additionalProperties: this.#write(additionalProperties, path) } : {}),
    };
  }

  /** Resolves a reference and merges the keywords next to it. A circular reference becomes an empty schema. */
  #resolved(found: unknown, path: readonly unknown[]): { schema: Schema; path: readonly unknown[] } {
    let schema = isRecord(found) ? found : {};
    const seen = [...path];
    while (schema.$ref !== undefined || isSingle(schema.allOf)) {
      const { $ref, allOf, ...rest } = schema;
      const isReference = $ref !== undefined;
      const beside = isReference && allOf !== undefined ? { ...rest, allOf } : rest;
      const target = isReference ? resolveReference(this.#document, $ref) : (allOf as unknown[])[0];
      if (!isRecord(target) || seen.includes(target)) return { schema: beside, path: seen };
      seen.push(target);
      schema = { ...target, ...beside };
    }
    return { schema, path: seen };
  }
}

const anyTypes = ['string', 'number', 'boolean', 'object', 'array'];

/** Returns whether `allOf` has one member: schema generators write a reference with its own default that way. */
function isSingle(allOf: unknown): boolean {
  return Array.isArray(allOf) && allOf.length === 1;
}

/** Removes the types, and the description that applies to all alternatives. */
function withoutType({ type: _type, nullable: _nullable, description: _description, ...rest }: Schema): Schema {
  return rest;
}

/** Returns the members of a choice, including a nullable value. */
function alternativesOf(schema: Schema): readonly unknown[] | undefined {
  const { anyOf, oneOf, ...rest } = schema;
  const members = [anyOf, oneOf].find((each): each is unknown[] => Array.isArray(each) && each.length > 0);
  // An object that also restricts which keys go together stays an object.
  if (!members || isRecord(rest.properties)) return undefined;
  const { description: _told, title: _title, default: _default, ...common } = rest;
  return members.map((member) => (isRecord(member) ? { ...common, ...member } : member));
}

/** Returns the types that a schema names or implies; none if it accepts anything. */
function typesOf(schema: Schema): string[] {
  const { type, nullable } = schema;
  const named = [type].flat().filter((each): each is string => types.includes(each as string));
  const found = named.length > 0 ? named : impliedTypes(schema);
  return nullable === true && found.length > 0 ? [...new Set([...found, 'null'])] : [...new Set(found)];
}

function impliedTypes(schema: Schema): string[] {
  const values = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : 'const' in schema ? [schema.const] : [];
  if (values.length > 0) return values.map(typeOf);
  if (isRecord(schema.properties) || 'required' in schema || 'additionalProperties' in schema || 'allOf' in schema) return ['object'];
  if ('items' in schema || 'prefixItems' in schema) return ['array'];
  if ('pattern' in schema || 'minLength' in schema || 'maxLength' in schema || 'format' in schema) return ['string'];
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? ['number'] : [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the listed values of the schema's type, and its default. */
function valuesOf(schema: Schema): Schema {
  const listed = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : 'const' in schema ? [schema.const] : [];
  const [type] = typesOf(schema);
  const fitting = listed.filter((value) => typeOf(value) === type || (type === 'integer' && Number.isInteger(value)));
  const values = [...new Map(fitting.map((value) => [JSON.stringify(value), value])).values()];
  const { default: fallback } = schema;
  const isPlain = fallback !== undefined && fallback !== null && typeof fallback !== 'object';
  return { ...(values.length > 0 ? { enum: values } : {}), ...(isPlain ? { default: fallback } : {}) };
}

/** Describes keywords that only some servers understand in text. */
function notesOf({ description, format, pattern }: Schema): Schema {
  if (format === known_format) return { format };
  const notes = [
    ...(typeof description === 'string' ? [description] : []),
    ...(typeof format === 'string' && !/^u?int|^float|^double/.test(format) ? [`Format: ${format}.`] : []),
    ...(typeof pattern === 'string' ? [`Pattern: ${pattern}`] : []),
  ];
  return notes.length > (typeof description === 'string' ? 1 : 0) ? { description: notes.join(' ') } : {};
}

/** Converts bounds: draft 4 marks a bound as exclusive with a boolean. */
function boundsOf(bounds: Schema): Schema {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = bounds;
  return {
    ...rest,
    ...(exclusiveMinimum === true ? { exclusiveMinimum: rest.minimum } : {}),
    ...(typeof exclusiveMinimum === 'number' ? { exclusiveMinimum } : {}),
    ...(exclusiveMaximum === true ? { exclusiveMaximum: rest.maximum } : {}),
    ...(typeof exclusiveMaximum === 'number' ? { exclusiveMaximum } : {}),
  };
}

function picked(schema: Schema, keys: readonly string[] = []): Schema {
  return Object.fromEntries(
    Object.entries(schema).filter(([key, value]) => keys.includes(key) && ['number', 'boolean'].includes(typeof value)),
  );
}

/** Merges the properties of all parts into one object. Of a choice, only properties that every member requires are required. */
function merged(schema: Schema, resolve: (part: unknown) => Schema): Schema {
  const { allOf, anyOf, oneOf, additionalProperties: _closed, ...rest } = schema;
  const parts = (found: unknown) => (Array.isArray(found) ? found.slice(0, max_members).map(resolve) : []);
  const choice = [...parts(anyOf), ...parts(oneOf)];
  const every = [...parts(allOf), rest];
  if (choice.length === 0 && every.length === 1) return schema;
  const common = listOf(choice[0]).filter((name) => choice.every((part) => listOf(part).includes(name)));
  return { ...rest, properties: { ...mergeChoice(choice), ...mergeAll(every) }, required: [...every.flatMap(listOf), ...common] };
}

/** Merges the properties of a choice. A property that members describe differently accepts any of their schemas. */
function mergeChoice(choice: readonly Schema[]): Schema {
  const found = new Map<string, unknown[]>();
  for (const part of choice) for (const [key, inner] of propertiesOf(part)) found.set(key, [...(found.get(key) ?? []), inner]);
  return Object.fromEntries([...found].map(([key, all]) => [key, all.length === 1 ? all[0] : { anyOf: all }]));
}

function mergeAll(parts: readonly Schema[]): Schema {
  const found = new Map<string, unknown>();
  for (const [key, inner] of parts.flatMap(propertiesOf)) {
    const before = found.get(key);
    found.set(key, isRecord(before) && isRecord(inner) ? { ...before, ...inner } : inner);
  }
  return Object.fromEntries(found);
}

function propertiesOf({ properties }: Schema): [string, unknown][] {
  return isRecord(properties) ? Object.entries(properties) : [];
}

function listOf(part: Schema | undefined): readonly unknown[] {
  return Array.isArray(part?.required) ? part.required : [];
}
