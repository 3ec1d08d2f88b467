import Joi from 'joi';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import { schemaFromData } from '../../../kernel/core/host/joi-schema.js';
import type { SchemaObject } from '../../../kernel/platform/http/docs/openapi.js';

const made = new Map<SchemaObject, Joi.Schema>();

/** Returns what is wrong with a value by a schema of the document; undefined if nothing is. */
export function misfit(value: unknown, schema: SchemaObject): string | undefined {
  const known = made.get(schema) ?? schemaFromData(Joi, jsonSchema(schema));
  made.set(schema, known);
  return known.validate(value, { convert: false }).error?.message;
}

/** OpenAPI 3.0 as JSON Schema: what the documentation did, undone. */
export function jsonSchema(schema: SchemaObject): JsonSchema {
  const {
    nullable,
    example: _example,
    type,
    items,
    properties,
    additionalProperties,
    anyOf,
    exclusiveMinimum,
    exclusiveMaximum,
    ...rest
  } = schema;
  const { minimum, maximum, ...others } = rest as JsonSchema;
  const bounds = {
    ...(minimum === undefined ? {} : exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { minimum }),
    ...(maximum === undefined ? {} : exclusiveMaximum === true ? { exclusiveMaximum: maximum } : { maximum }),
  };
  return {
    ...others,
    ...bounds,
    ...(others.pattern === undefined ? {} : { 'x-flags': flagsOf(others.pattern) }),
    ...(type === undefined ? {} : { type: (nullable ? [type, 'null'] : type) as NonNullable<JsonSchema['type']> }),
    ...(items === undefined ? {} : { items: jsonSchema(items as SchemaObject) }),
    ...(anyOf === undefined ? {} : { anyOf: (anyOf as SchemaObject[]).map(jsonSchema) }),
    ...(properties === undefined ? {} : { properties: mapped(properties as Record<string, SchemaObject>) }),
    ...(additionalProperties === true ? { additionalProperties } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: jsonSchema(additionalProperties as SchemaObject) } : {}),
  };
}

/** Patterns of JSON Schema are read with `u`, as far as they can be. */
function flagsOf(pattern: string): string {
  try {
    return new RegExp(pattern, 'u').flags;
  } catch {
    return '';
  }
}

function mapped(schemas: Readonly<Record<string, SchemaObject>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, jsonSchema(schema)]));
}
