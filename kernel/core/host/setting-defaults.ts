import joi from 'joi';
import { type Fault, isFailure } from '../../contract/failure.js';
import type { Manifest } from '../../contract/manifest.js';
import type { JsonSchema } from '../../contract/schema.js';
import { schemaFromData } from './joi-schema.js';
import { Patterns } from './pattern.js';
import { isWithinWork } from './schema-work.js';
import { withoutMarker } from './secret-markers.js';

/** Limit of checking one default, because a plugin wrote the schema and the check blocks the process. */
const max_steps = 20_000;

/** Returns a fault for each setting whose default its own schema rejects. The manifest must be valid. */
export function settingDefaultFaults({ id, config }: Manifest): Fault[] {
  const patterns = new Patterns(id);
  return defaultsIn((config ?? {}) as JsonSchema, 'config').flatMap(({ path, schema }) => {
    const message = faultOf(schema, patterns);
    return message === undefined ? [] : [{ path, message: `"${path}" ${message}` }];
  });
}

function defaultsIn({ properties = {} }: JsonSchema, path: string): { path: string; schema: JsonSchema }[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const own = `${path}.properties.${name}`;
    return [
      ...(schema.default === undefined ? [] : [{ path: `${own}.default`, schema: withoutMarker(schema) }]),
      ...defaultsIn(schema, own),
    ];
  });
}

function faultOf(schema: JsonSchema, { make, size }: Patterns): string | undefined {
  if (!isWithinWork(schema, schema.default, { limit: max_steps, patternSize: size })) return `takes more than ${max_steps} steps to check`;
  try {
    const { error } = schemaFromData(joi, schema, make).validate(schema.default, { convert: false, errors: { label: false } });
    return error && `is not a value that the setting accepts: it ${error.message}`;
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    return `can't be checked: ${fault.message}`;
  }
}
