import type { JsonSchema } from '../../kernel/contract/schema.js';

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Deeper fields are left to the OpenAPI document. */
const max_depth = 2;

/** Rows of name, type and meaning, fields of fields with dotted names. */
export function fieldsOf(schema: JsonSchema, prefix = '', depth = 1): string[][] {
  const item = schema.items && prefix === '' && !schema.properties ? schema.items : undefined;
  if (item) return fieldsOf(item, '[].', depth);
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const row = [code(`${prefix}${name}`), typeOf(one, schema.required?.includes(name) === true), meaningOf(one)];
    if (depth === max_depth) return [row];
    const below = one.properties ? fieldsOf(one, `${prefix}${name}.`, depth + 1) : [];
    const items = one.items?.properties ? fieldsOf(one.items, `${prefix}${name}[].`, depth + 1) : [];
    return [row, ...below, ...items];
  });
}

function typeOf(schema: JsonSchema, isRequired: boolean): string {
  const types = schema.anyOf?.map((one) => typeOf(one, true)) ?? [schema.type ?? typesOf(schema.enum)].flat();
  const list = schema.items?.type ? ` of ${[schema.items.type].flat().join(' or ')}` : '';
  const other = (schema as { nullable?: boolean }).nullable && !types.includes('null') ? ' or null' : '';
  return `${[...new Set(types)].join(' or ')}${other}${list}${schema.format ? ` (${schema.format})` : ''}${isRequired ? '' : ', optional'}`;
}

function typesOf(values: readonly unknown[] = []): string | string[] {
  return values.length === 0 ? 'any' : [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
}

function meaningOf(schema: JsonSchema): string {
  const values = schema.enum?.map((value) => code(JSON.stringify(value))).join(', ');
  const limits = [
    ...(schema.minLength !== undefined && schema.minLength > 1 ? [`at least ${schema.minLength} characters`] : []),
    ...(schema.maxLength !== undefined ? [`at most ${schema.maxLength.toLocaleString('en')} characters`] : []),
    ...(schema.minimum !== undefined ? [`at least ${schema.minimum}`] : []),
    ...(schema.maximum !== undefined ? [`at most ${schema.maximum}`] : []),
    ...(schema.maxItems !== undefined ? [`at most ${schema.maxItems} items`] : []),
    ...(schema.default !== undefined ? [`default ${code(JSON.stringify(schema.default))}`] : []),
  ];
  const description = schema.description ? `${schema.description.replace(/\.$/, '')}.` : '';
  return [description, values && `One of ${values}.`, limits.length > 0 && `${upperFirst(limits.join(', '))}.`].filter(Boolean).join(' ');
}
