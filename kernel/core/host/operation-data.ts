import type { Root } from 'joi';
import type { OperationData } from '../../contract/manifest.js';
import type { Operation } from '../../contract/operation.js';
import { dataFromSchema } from './json-schema.js';

/** Returns an operation as data: schemas, made with the given Joi, as JSON Schema, and defaults filled in. */
export function operationData(j: Root, operation: Operation): OperationData {
  // Clients don't need the cookies, and only the OpenAPI document has the rest.
  const { input, answer, kind = 'call', cookies: _cookies, subject: _subject, events: _events, ...rest } = operation;
  return {
    ...rest,
    kind,
    input: input === undefined ? { type: 'object', properties: {} } : dataFromSchema(input(j)),
    ...(answer === undefined ? {} : { answer: dataFromSchema(answer(j)) }),
    status: operation.status ?? (answer !== undefined || kind === 'stream' || kind === 'file' ? 200 : 204),
  };
}
