import { fail } from '../../contract/failure.js';
import { withoutOptionalNulls } from './optional-nulls.js';
import { unknownField } from './unknown-fields.js';

/**
 * Returns a model's arguments for a tool that is not an operation: optional ones that are `null` are dropped, and names that the tool's
 * JSON Schema excludes (`additionalProperties: false`) are rejected. The tool checks the values.
 *
 * @throws `unknown_field`
 */
export function modelArguments(schema: object, input: object): object {
  const { properties, additionalProperties } = schema as { properties?: unknown; additionalProperties?: unknown };
  const given = withoutOptionalNulls(schema, input) as object;
  if (additionalProperties !== false || typeof properties !== 'object' || properties === null) return given;
  const details = Object.keys(given)
    .filter((key) => !Object.hasOwn(properties, key))
    .slice(0, 20)
    .map((key) => unknownField([key.slice(0, 100)], schema));
  if (details.length === 0) return given;
  throw fail('unknown_field', details.map(({ message }) => message).join('; '), { details });
}
