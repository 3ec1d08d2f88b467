import type { ObjectSchema, ValidationErrorItem } from 'joi';
import { type Fault, fail } from '../../contract/failure.js';
import { assertSafeValue } from './safe-value.js';

/** Number of values above which only the first fault is reported, because Joi takes too long to find all. */
const max_values = 1_000;
const max_details = 100;
const max_detail_length = 300;

/** Returns the input as converted by a schema, without unknown fields. @throws `invalid_input` */
export function validate(schema: ObjectSchema, input: unknown): object {
  const { value, faults, more } = read(schema, input);
  if (faults.length > 0) throw invalid('invalid_input', faults, more);
  return value;
}

export interface Read {
  value: object;
  faults: readonly Fault[];
  /** Number of further faults. */
  more: number;
}

export function read(schema: ObjectSchema, input: unknown): Read {
  const abortEarly = assertSafeValue(input) > max_values;
  const { value, error } = schema.validate(input ?? {}, { abortEarly, stripUnknown: true, convert: true });
  if (!error) return { value: value as object, faults: [], more: 0 };
  const reported = error.details.slice(0, max_details);
  // Joi quotes the rejected value, which may be as long as the request.
  const faults = reported.map((fault) => ({ path: cut(fault.path.join('.')), message: cut(sentenceOf(fault)) }));
  return { value: isObject(value) ? value : {}, faults, more: error.details.length - reported.length };
}

export function invalid(code: 'invalid_input' | 'unknown_field', details: readonly Fault[], more: number) {
  const rest = more > 0 ? `; and ${more} more` : '';
  return fail(code, `The input is not valid: ${details.map(({ message }) => message).join('; ')}${rest}`, { details });
}

/** Returns the message with the key in place of the schema's label, which callers don't know. */
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
