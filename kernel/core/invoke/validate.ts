import type { ObjectSchema, ValidationErrorItem } from 'joi';
import { type Fault, fail } from '../../contract/failure.js';
import { measureHarmless } from './harmless.js';

/** In an input with more values than this only the first fault is reported: finding all takes Joi too long. */
const max_values = 1_000;
const max_details = 100;
const max_detail_length = 300;

/** Returns the input as a schema reads it, without the fields that the schema lacks. @throws `invalid_input` */
export function validate(schema: ObjectSchema, input: unknown): object {
  const { value, faults, more } = read(schema, input);
  if (faults.length > 0) throw invalid('invalid_input', faults, more);
  return value;
}

export interface Read {
  value: object;
  faults: readonly Fault[];
  /** Faults beyond those. */
  more: number;
}

export function read(schema: ObjectSchema, input: unknown): Read {
  const abortEarly = measureHarmless(input) > max_values;
  const { value, error } = schema.validate(input ?? {}, { abortEarly, stripUnknown: true, convert: true });
  if (!error) return { value: value as object, faults: [], more: 0 };
  const reported = error.details.slice(0, max_details);
  // Joi quotes what it refuses, which may be as long as the request.
  const faults = reported.map((fault) => ({ path: cut(fault.path.join('.')), message: cut(sentenceOf(fault)) }));
  return { value: isObject(value) ? value : {}, faults, more: error.details.length - reported.length };
}

export function invalid(code: 'invalid_input' | 'unknown_field', details: readonly Fault[], more: number) {
  const rest = more > 0 ? `; and ${more} more` : '';
  return fail(code, `The input is not valid: ${details.map(({ message }) => message).join('; ')}${rest}`, { details });
}

/** Joi speaks of a schema by its label, which names it in the documentation. The caller knows the value by its key. */
function sentenceOf({ path, message, context }: ValidationErrorItem): string {
  const key = path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at > 0 ? `.${step}` : step)).join('');
  return key === '' ? message : message.replace(`"${context?.label}"`, () => `"${key}"`);
}

export function cut(text: string): string {
  return text.length > max_detail_length ? `${text.slice(0, max_detail_length).toWellFormed()}…` : text;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
