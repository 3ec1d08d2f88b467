import { isStandardPattern, type JsonSchema } from '../../../contract/schema.js';
import type { SchemaObject } from './openapi.js';

/**
 * Converts JSON Schema to the older dialect of OpenAPI 3.0: a single type with `nullable`, boolean exclusive
 * bounds, one example.
 */
export function openApiSchema(schema: JsonSchema): SchemaObject {
  const { type, examples, exclusiveMinimum, exclusiveMaximum, anyOf, items, properties, additionalProperties, ...rest } = schema;
  return {
    ...withoutExtensions(rest),
    ...typeOf(type),
    ...(examples?.length ? { example: examples[0] } : {}),
    ...(exclusiveMinimum === undefined ? {} : { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum === undefined ? {} : { maximum: exclusiveMaximum, exclusiveMaximum: true }),
    ...(anyOf ? { anyOf: anyOf.map(openApiSchema) } : {}),
    // An array's items must be described; an empty schema admits anything.
    ...(items || type === 'array' ? { items: openApiSchema(items ?? {}) } : {}),
    ...(properties ? { properties: mapValues(properties, openApiSchema) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: openApiSchema(additionalProperties) } : {}),
    ...(additionalProperties === true ? { additionalProperties } : {}),
  };
}

function typeOf(type: JsonSchema['type']): SchemaObject {
  if (type === undefined) return {};
  if (type === 'null') return { type: 'string', nullable: true, enum: [null] };
  if (typeof type === 'string') return { type };
  const [first] = type.filter((one) => one !== 'null');
  return { type: first, nullable: true };
}

/** Removes keywords that only the platform knows, and patterns that need them. */
function withoutExtensions(schema: Pick<JsonSchema, 'pattern' | 'x-flags'>): SchemaObject {
  const drop = isStandardPattern(schema) ? '' : 'pattern';
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith('x-') && key !== drop));
}

function mapValues<In, Out>(values: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
