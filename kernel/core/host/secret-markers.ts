import type { JsonSchema } from '../../contract/schema.js';

/** Returns the schema of a setting without the marker of a secret, which `schemaFromData` doesn't support. */
export function withoutMarker(property: JsonSchema): JsonSchema {
  const { writeOnly: _writeOnly, format, ...others } = property as Omit<JsonSchema, 'format'> & { writeOnly?: boolean; format?: string };
  const plain = format === undefined || format === 'password' ? others : { ...others, format };
  return plain as JsonSchema;
}
