import type { OperationData } from '../../kernel/contract/manifest.js';
import type { JsonSchema } from '../../kernel/contract/schema.js';
import type { AskField } from '../kit/ask.js';
import type { Row } from './rows.js';

/** What an operation's input takes of a record: what that has under the same names. */
export function takenFrom(row: Row, { input }: OperationData): Record<string, unknown> {
  const { properties = {} } = input as JsonSchema;
  const known = Object.keys(properties).filter((key) => Object.hasOwn(row, key) && row[key] !== null);
  return Object.fromEntries(known.map((key) => [key, row[key]]));
}

/** What an operation requires besides, as it is asked for. */
export function missing(given: object, { input, secrets = [] }: OperationData): AskField[] {
  const { properties = {}, required = [] } = input as JsonSchema;
  const names = required.filter((name) => !Object.hasOwn(given, name));
  return names.map((name) => {
    const schema = properties[name] ?? {};
    const choices = choicesOf(schema);
    const field: AskField = { name, label: name.replaceAll('_', ' '), secret: secrets.includes(name) };
    return choices === undefined ? field : { ...field, choices };
  });
}

/** What was typed, as the input's schema wants it; what fits no type is left to the operation to refuse. */
export function typedInput(values: Readonly<Record<string, string>>, { input }: OperationData): Record<string, unknown> {
  const { properties = {} } = input as JsonSchema;
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, parsed(text, properties[name])]));
}

function choicesOf({ enum: values, type }: JsonSchema): string[] | undefined {
  if (type === 'boolean') return ['true', 'false'];
  return values?.every((value) => typeof value === 'string') ? (values as string[]) : undefined;
}

function parsed(text: string, schema: JsonSchema | undefined): unknown {
  if (schema?.type === undefined || schema.type === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
