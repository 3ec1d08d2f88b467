/** Untrusted schemas may contain anything. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a model's arguments without optional ones that are `null`, at any depth, because models fill in every argument of a schema.
 * Nullable and required arguments keep their `null`.
 */
export function withoutOptionalNulls(schema: unknown, input: unknown): unknown {
  if (!isFields(schema)) return input;
  if (Array.isArray(input)) return isFields(schema.items) ? input.map((item) => withoutOptionalNulls(schema.items, item)) : input;
  if (!isFields(input) || !isFields(schema.properties)) return input;
  const { properties, required } = schema;
  const entries = Object.entries(input).flatMap(([key, value]) => {
    const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const isRequired = Array.isArray(required) && required.includes(key);
    if (value === null && isFields(inner) && !isRequired && !admitsNull(inner)) return [];
    return [[key, withoutOptionalNulls(inner, value)] as const];
  });
  return Object.fromEntries(entries);
}

/** Keywords that are not evaluated here: with one of them the value stays. */
const unsupported_keywords = ['$ref', '$dynamicRef', 'allOf', 'not', 'if', 'const'];

function admitsNull(schema: unknown): boolean {
  if (!isFields(schema) || unsupported_keywords.some((key) => key in schema)) return true;
  const { type, enum: values, anyOf, oneOf, nullable } = schema;
  const members = anyOf ?? oneOf;
  if (members !== undefined) return !Array.isArray(members) || members.some(admitsNull);
  if (nullable === true || (Array.isArray(values) && values.includes(null))) return true;
  return type === undefined ? values === undefined : [type].flat().includes('null');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
