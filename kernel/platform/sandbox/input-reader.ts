import type { ObjectSchema } from 'joi';
import { fail } from '../../contract/failure.js';
import type { JsonSchema } from '../../contract/schema.js';
import type { Reading } from '../../core/host/context.js';
import type { Patterns } from '../../core/host/pattern.js';
import { isWithinWork } from '../../core/host/schema-work.js';
import { assertSafeValue } from '../../core/invoke/safe-value.js';
import { validate } from '../../core/invoke/validate.js';
import { steps_here, steps_in_process } from './limits.js';
import type { ReadRequest } from './messages.js';
import type { RequestOptions } from './requester.js';

/** An input schema of a plugin, as data and compiled. */
export interface InputSchema {
  data: JsonSchema;
  schema: ObjectSchema;
  patterns: Patterns;
}

export interface InputReaderParts extends Omit<InputSchema, 'schema'> {
  /** The operation or frame of the input. */
  of: Pick<ReadRequest, 'kind' | 'name'>;
  /** Sends a request to the plugin's process. */
  sendRequest: (method: string, params: ReadRequest, options: RequestOptions) => Promise<unknown>;
  /** Time limit of its process. */
  limit: NonNullable<RequestOptions['limit']>;
}

/**
 * Returns a function that validates costly inputs in the plugin's process, and returns undefined for cheap ones. A plugin's schema may take
 * seconds for a few kilobytes, so the work is estimated first: costly work must only block the plugin itself.
 */
export function inputReader({ of, data, patterns, sendRequest, limit }: InputReaderParts): Reading['read'] {
  return (input = {}) => {
    assertSafeValue(input);
    if (isWithinWork(data, input, { limit: steps_here, patternSize: patterns.size })) return undefined;
    return async () => asObject(await sendRequest('read', { ...of, input: withoutPath(input) }, { limit }));
  };
}

/** Validates an input in the plugin's process. Fails with `payload_too_large` if the work exceeds the limit even there. */
export function readInProcess({ data, schema, patterns }: InputSchema, input: unknown, name: string): object {
  if (isWithinWork(data, input, { limit: steps_in_process, patternSize: patterns.size })) return validate(schema, input);
  throw fail(
    'payload_too_large',
    `The input of '${name}' takes more than ${steps_in_process} steps to check against its schema: send it in several parts`,
  );
}

/** Removes the path of an upload: only its handler may know it, and receives another one. */
function withoutPath(input: unknown): unknown {
  const { file } = input as { file?: object };
  return typeof file === 'object' && file !== null && 'path' in file ? { ...(input as object), file: { ...file, path: '-' } } : input;
}

function asObject(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('A plugin validated an input as something other than an object');
  assertSafeValue(value);
  return value;
}
