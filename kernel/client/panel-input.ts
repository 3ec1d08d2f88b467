import type { OperationData } from '../contract/manifest.js';
import type { JsonSchema } from '../contract/schema.js';
import type { Row } from './panel-rows.js';

/** A field of a form that asks for one key of an operation's input. */
export interface PanelField {
  name: string;
  label: string;
  /** Masks the value. */
  secret: boolean;
  /** Allowed values. Default: any. */
  choices?: readonly string[];
}

/** Returns the fields of a record that the operation's input has under the same names. */
export function inputFrom(row: Row, { input }: OperationData): Record<string, unknown> {
  const { properties = {} } = input as JsonSchema;
  const known = Object.keys(properties).filter((key) => Object.hasOwn(row, key) && row[key] !== null);
  return Object.fromEntries(known.map((key) => [key, row[key]]));
}

/** Returns form fields for the required input that is missing. */
export function missingFields(provided: object, { input, secrets = [] }: OperationData): PanelField[] {
  const { properties = {}, required = [] } = input as JsonSchema;
  const names = required.filter((name) => !Object.hasOwn(provided, name));
  return names.map((name) => {
    const schema = properties[name] ?? {};
    const choices = choicesOf(schema);
    const field: PanelField = { name, label: name.replaceAll('_', ' '), secret: secrets.includes(name) };
    return choices === undefined ? field : { ...field, choices };
  });
}

/** Converts typed values to the types of the input's schema. Invalid text stays as it is: the operation rejects it. */
export function typedInput(values: Readonly<Record<string, string>>, { input }: OperationData): Record<string, unknown> {
  const { properties = {} } = input as JsonSchema;
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, parseValue(text, properties[name])]));
}

function choicesOf({ enum: values, type }: JsonSchema): string[] | undefined {
  if (type === 'boolean') return ['true', 'false'];
  return values?.every((value) => typeof value === 'string') ? (values as string[]) : undefined;
}

function parseValue(text: string, schema: JsonSchema | undefined): unknown {
  if (schema?.type === undefined || schema.type === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
