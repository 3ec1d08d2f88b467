import Joi from 'joi';
import type { OperationData } from '../../contract/manifest.js';
import type { Operation } from '../../contract/operation.js';
import { operationData } from './operation-data.js';

/** An operation as data: its schemas as JSON Schema, its defaults written out. */
export function describeOperation(operation: Operation): OperationData {
  return operationData(Joi, operation);
}
