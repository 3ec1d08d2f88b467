import { isRecord } from '../json.js';

type Schema = Readonly<Record<string, unknown>>;

const kept = new Set(['type', 'description', 'enum']);

/** Reduces a schema that `modelSchema` wrote to the keywords that every server knows: types, properties, items and enumerations. */
export function simpleSchema(given: object): object {
  const schema = withoutChoice(given as Schema);
  const { properties, required, items } = schema;
  const simple: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([key]) => kept.has(key)));
  if (isRecord(properties)) {
    simple.properties = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, simpleSchema(each as object)]));
    simple.required = required;
  }
  if (isRecord(items)) simple.items = simpleSchema(items);
  return simple;
}

/** The first alternative that is not null, with the description of the choice. */
function withoutChoice({ anyOf, ...own }: Schema): Schema {
  if (!Array.isArray(anyOf)) return own;
  const chosen = anyOf.find((member) => isRecord(member) && member.type !== 'null') as Schema | undefined;
  return { ...withoutChoice(chosen ?? { type: 'string' }), ...own };
}
