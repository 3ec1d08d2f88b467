type Schema = Readonly<Record<string, unknown>>;

const max_depth = 10;
const kept = new Set(['type', 'description', 'properties', 'required', 'items', 'enum', 'nullable']);

/** The same schema in the words that every server knows: types, properties, items and enumerations. */
export function simpleSchema(schema: object): object {
  return simplify(schema as Schema, { root: schema as Schema, depth: 0 });
}

interface Place {
  root: Schema;
  depth: number;
}

function simplify(given: Schema, { root, depth }: Place): Schema {
  if (depth > max_depth) return { type: 'object' };
  const inner = { root, depth: depth + 1 };
  const schema = merged(given, inner);
  const simple: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) if (kept.has(key)) simple[key] = value;
  if (Array.isArray(schema.type)) simple.type = schema.type.find((type) => type !== 'null') ?? 'string';
  if ('const' in schema) simple.enum = [schema.const];
  if (isSchema(schema.properties)) {
    const properties = Object.entries(schema.properties).map(
      ([name, each]) => [name, isSchema(each) ? simplify(each, inner) : {}] as const,
    );
    simple.properties = Object.fromEntries(properties);
    if (Array.isArray(schema.required))
      simple.required = schema.required.filter((name) => Object.hasOwn(simple.properties as object, name));
  }
  if (Array.isArray(schema.items)) simple.items = isSchema(schema.items[0]) ? simplify(schema.items[0], inner) : { type: 'string' };
  else if (isSchema(schema.items)) simple.items = simplify(schema.items, inner);
  simple.type ??= 'properties' in simple ? 'object' : 'items' in simple ? 'array' : typeOf(simple.enum);
  return simple;
}

/** With what it refers to, and the first of its alternatives that is not null. */
function merged(schema: Schema, { root, depth }: Place): Schema {
  if (depth > max_depth) return schema;
  const referred = typeof schema.$ref === 'string' ? find(root, schema.$ref) : undefined;
  const choices = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const chosen: unknown = choices.find((choice) => isSchema(choice) && choice.type !== 'null');
  const parts = [referred, chosen, ...(Array.isArray(schema.allOf) ? schema.allOf : [])].filter(isSchema);
  if (parts.length === 0) return schema;
  const { $ref: _ref, anyOf: _any, oneOf: _one, allOf: _all, ...own } = schema;
  return [...parts.map((part) => merged(part, { root, depth: depth + 1 })), own].reduce(together);
}

function together(one: Schema, other: Schema): Schema {
  const properties =
    isSchema(one.properties) && isSchema(other.properties) ? { properties: { ...one.properties, ...other.properties } } : {};
  const lists = [one.required, other.required].flatMap((list) => (Array.isArray(list) ? list : []));
  return { ...one, ...other, ...properties, ...(lists.length > 0 ? { required: [...new Set(lists)] } : {}) };
}

/** What `#/$defs/Name` stands for; nothing outside the schema is followed. */
function find(root: Schema, ref: string): Schema | undefined {
  if (!ref.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isSchema(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isSchema(found) ? found : undefined;
}

function typeOf(list: unknown): string {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return typeof first === 'number' || typeof first === 'boolean' ? typeof first : 'string';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
