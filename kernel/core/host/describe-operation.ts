import Joi from 'joi';
import type { OperationData } from '../../contract/manifest.js';
import type { Operation } from '../../contract/operation.js';
import { operationData } from './operation-data.js';

/** Returns an operation as data: schemas as JSON Schema, defaults filled in. */
export function describeOperation(operation: Operation): OperationData {
  return operationData(Joi, operation);
}
