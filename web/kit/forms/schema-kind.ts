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
  | 'json';

/** Texts longer than this get several lines. */
const max_line = 300;

/** Returns which field fits a schema; `json` for what no field fits. */
export function kindOf(schema: JsonSchema): SchemaKind {
  if (schema.enum) return 'choice';
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
