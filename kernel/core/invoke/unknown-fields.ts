import type { Fault } from '../../contract/failure.js';
import { suggestion } from '../../contract/nearest.js';
import type { JsonSchema } from '../../contract/schema.js';

/** Keys and indexes that lead to a field. */
type Path = readonly string[];

/** Limit of reported fields, because each needs a search for the nearest known name. */
const max_found = 100;
/** Depth limit: a JSON text within an input may be nested deeper than the input. */
const max_depth = 64;

/** Returns the first 100 fields that validation dropped: fields of `given` that are missing in `value`, its validated form. */
export function droppedFields(given: object, value: object): Path[] {
  const found: Path[] = [];
  compare(given, value, { path: [], found });
  return found;
}

function compare(given: object, value: object, at: { path: Path; found: Path[] }): void {
  for (const key of Object.keys(given)) {
    if (at.found.length >= max_found || at.path.length >= max_depth) return;
    const before = (given as Record<string, unknown>)[key];
    const after = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    if (after === undefined) {
      if (before !== undefined) at.found.push([...at.path, key]);
    } else if (before !== after && isFields(after)) {
      const fields = typeof before === 'string' ? parsed(before) : before;
      if (isFields(fields)) compare(fields, after, { path: [...at.path, key], found: at.found });
    }
  }
}

/** Parses a JSON text, because Joi converts such texts to objects and lists. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** Returns the fault of an unknown field, with the nearest known name as a hint. */
export function unknownField(path: Path, input: object): Fault {
  const name = path.at(-1) ?? '';
  const known = Object.keys(propertiesAt(input, path.slice(0, -1)) ?? {});
  const label = path.length === 1 ? name : path.join('.');
  const hint = suggestion(name, known);
  return { path: path.join('.'), message: `"${label}" is unknown${hint === '' ? '' : `. ${hint}`}` };
}

/** Returns whether a schema has a field at a path. */
export function hasField(schema: object | undefined, path: Path): boolean {
  const properties = schema && propertiesAt(schema, path.slice(0, -1));
  return properties !== undefined && Object.hasOwn(properties, path.at(-1) ?? '');
}

/** Returns the properties in a schema of the object at a path; undefined if it has none there. */
function propertiesAt(schema: JsonSchema, path: Path): JsonSchema['properties'] | undefined {
  const [step, ...rest] = path;
  if (schema.anyOf) {
    const found = schema.anyOf.map((member) => propertiesAt(member, path)).filter((each) => each !== undefined);
    return found.length > 0 ? Object.assign({}, ...found) : undefined;
  }
  if (step === undefined) return schema.properties;
  const { properties = {}, additionalProperties: others, items } = schema;
  const inner = Object.hasOwn(properties, step) ? properties[step] : (items ?? (others === true ? undefined : others));
  return inner && propertiesAt(inner, rest);
}
