import type { JsonSchema } from '../../../kernel/contract/schema.js';

/** The field that fits a schema. */
export type SchemaKind =
  | 'switch'
  | 'choice'
  | 'number'
  | 'moment'
  | 'text'
  | 'long-text'
  | 'choices'
  | 'lines'
  | 'pairs'
  | 'object'
  | 'variants'
  | 'json';

/** Texts longer than this get several lines. */
const max_line = 300;

/**
 * Returns a schema with `anyOf` in its simplest form: without null, as a single schema if one alternative is left, and as one enumeration if
 * each alternative is one.
 */
export function simplified(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!anyOf) return schema;
  const others = anyOf.filter(({ type }) => type !== 'null').map(simplified);
  if (others.length === 1) return { ...others[0], ...rest };
  const values = others.map((each) => each.enum);
  return values.every((each) => each !== undefined) ? { ...rest, enum: values.flat() } : { ...rest, anyOf: others };
}

/** Returns which field fits a schema that was {@link simplified}; `json` for what no field fits. */
export function kindOf(schema: JsonSchema): SchemaKind {
  if (schema.enum) return 'choice';
  if (schema.anyOf) return 'variants';
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  if (types.length !== 1) return 'json';
  switch (types[0]) {
    case 'boolean':
      return 'switch';
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
      if (schema.format === 'date-time') return 'moment';
      return (schema.maxLength ?? 0) > max_line && schema.format === undefined ? 'long-text' : 'text';
    case 'array':
      return kindOfList(schema.items ?? {});
    case 'object':
      return kindOfObject(schema);
    default:
      return 'json';
  }
}

function kindOfList(items: JsonSchema): SchemaKind {
  if (items.enum) return 'choices';
  return items.type === 'string' || items.type === 'integer' || items.type === 'number' ? 'lines' : 'json';
}

function kindOfObject({ properties, additionalProperties }: JsonSchema): SchemaKind {
  if (properties && Object.keys(properties).length > 0) return 'object';
  return typeof additionalProperties === 'object' && additionalProperties.type === 'string' ? 'pairs' : 'json';
}

/** Returns the place of the first alternative whose type a value has; the first one if none fits. */
export function variantOf(variants: readonly JsonSchema[], value: unknown): number {
  return Math.max(
    0,
    variants.findIndex((each) => hasType(each, value)),
  );
}

function hasType({ enum: values, type }: JsonSchema, value: unknown): boolean {
  if (values) return values.includes(value);
  const types = [type ?? []].flat();
  if (Array.isArray(value)) return types.includes('array');
  return typeof value === 'number' ? types.includes('number') || types.includes('integer') : types.some((each) => each === typeof value);
}

/** Labels by path, alone or with a help. */
export type Labels = Readonly<Record<string, string | { readonly label: string; readonly help?: string }>>;

interface Labelled {
  name: string;
  path: string;
  schema: JsonSchema;
  labels: Labels | undefined;
}

/** Returns the label of a property and its help: a translation, else the schema's own words, else its name in words. */
export function labelFor({ name, path, schema, labels }: Labelled): { label: string; help: string | undefined } {
  const given = ownEntry(labels, path);
  const words = typeof given === 'string' ? { label: given } : given;
  return { label: words?.label ?? schema.title ?? inWords(name), help: words?.help ?? (words ? undefined : schema.description) };
}

/** Returns an object's own entry: a schema's author may call a property `constructor`, which every object has. */
export function ownEntry<Value>(object: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** `max_tokens` → `Max tokens`. */
function inWords(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
