import Joi from 'joi';
import type { OperationData } from '../contract/manifest.js';
import type { Operation } from '../contract/operation.js';
import { dataFromSchema } from './json-schema.js';

/** An operation as data: its schemas as JSON Schema, its defaults written out. */
export function describeOperation(operation: Operation): OperationData {
  const { input, answer, kind = 'call', ...rest } = operation;
  return {
    ...rest,
    kind,
    input: input === undefined ? { type: 'object', properties: {} } : dataFromSchema(input(Joi)),
    ...(answer === undefined ? {} : { answer: dataFromSchema(answer(Joi)) }),
    status: operation.status ?? (answer === undefined && kind !== 'stream' ? 204 : 200),
  };
}
