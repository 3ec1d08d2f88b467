import type { ObjectSchema, ValidationErrorItem } from 'joi';
import { fail } from '../contract/failure.js';
import { measureHarmless } from './harmless.js';

/** Of an input with more values than this only the first fault is told: finding all takes Joi too long. */
const most_values = 1_000;
const most_details = 100;
const longest_detail = 300;

/** The input as its schema reads it, without what the schema doesn't know. Fails with `invalid_input`, all faults at once. */
export function validate(schema: ObjectSchema, input: unknown): object {
  const abortEarly = measureHarmless(input) > most_values;
  const { value, error } = schema.validate(input ?? {}, { abortEarly, stripUnknown: true, convert: true });
  if (!error) return value as object;
  const told = error.details.slice(0, most_details);
  // Joi quotes what it refuses, which may be as long as the request.
  const details = told.map((fault) => ({ path: cut(fault.path.join('.')), message: cut(sentenceOf(fault)) }));
  const more = error.details.length > told.length ? `; and ${error.details.length - told.length} more` : '';
  throw fail('invalid_input', `The input is not valid: ${details.map(({ message }) => message).join('; ')}${more}`, { details });
}

/** Joi speaks of a schema by its label, which names it in the documentation. The caller knows the value by its key. */
function sentenceOf({ path, message, context }: ValidationErrorItem): string {
  const key = path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at > 0 ? `.${step}` : step)).join('');
  return key === '' ? message : message.replace(`"${context?.label}"`, () => `"${key}"`);
}

function cut(text: string): string {
  return text.length > longest_detail ? `${text.slice(0, longest_detail).toWellFormed()}…` : text;
}
