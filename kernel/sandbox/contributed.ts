import joi, { type Root } from 'joi';
import type { OperationData } from '../contract/manifest.js';
import type { Operation } from '../contract/operation.js';
import { schemaFromData } from '../host/joi-schema.js';
import type { Contributed } from './messages.js';

const name = joi.string().max(200);
const most = 500;
/** As the draft wants them. */
const socketName = joi.string().pattern(/^[a-z][a-z0-9._-]{0,63}$/);

const operation = joi
  .object({
    summary: joi.string().max(500).required(),
    method: joi.string().valid('GET', 'POST', 'PUT', 'DELETE').required(),
    path: joi.string().max(300).required(),
    who: joi.string().valid('public', 'member', 'admin').required(),
    kind: joi.string().valid('call', 'stream', 'upload').required(),
    input: joi.object().required(),
    query: joi.array().items(name).max(most),
    answer: joi.object(),
    status: joi.number().valid(200, 201, 202, 204).required(),
    also: joi.array().items(joi.number().integer().min(200).max(299)).max(20),
    failures: joi.array().items(name).max(most),
    scope: joi.string().valid('read', 'chat', 'admin'),
    dangerous: joi.boolean(),
    audited: joi.boolean(),
    tool: joi.boolean(),
    schedulable: joi.boolean(),
    idempotent: joi.string().valid('data', 'external'),
    respond_async: joi.boolean(),
    verbatim: joi.boolean(),
    etag: joi.boolean(),
    max_bytes: joi
      .number()
      .integer()
      .min(1)
      .max(50 * 1024 * 1024),
    timeout_ms: joi.number().integer().min(1).max(600_000),
  })
  .required();

const contributed = joi
  .object<Contributed>({
    operations: joi.object().pattern(name, operation).max(most).required(),
    codes: joi
      .object()
      .pattern(joi.string().pattern(/^[a-z][a-z0-9_]{0,63}$/), joi.number().integer().min(400).max(599))
      .max(most)
      .required(),
    listens: joi.array().items(name).max(most).required(),
    checks: joi.array().items(name).max(most).required(),
    metrics: joi
      .array()
      .items(
        joi.object({
          name: joi
            .string()
            .pattern(/^[a-zA-Z0-9_]{1,100}$/)
            .required(),
          help: joi.string().max(500).required(),
        }),
      )
      .max(most)
      .required(),
    topics: joi
      .array()
      .items(joi.object({ name: socketName.required(), readers: joi.string().valid('member', 'admin').required() }))
      .max(most)
      .required(),
    frames: joi
      .array()
      .items(joi.object({ type: socketName.required(), schema: joi.object().required() }))
      .max(most)
      .required(),
  })
  .required();

/** What a plugin's process says that it contributes, checked. An error names what is wrong with it. */
export function readContributed(value: unknown): Contributed {
  const { value: read, error } = contributed.validate(value, { convert: false });
  if (error) throw new Error(`It contributes what can't be: ${error.message}`);
  return read as Contributed;
}

/** An operation with its schemas as functions again. */
export function operationFromData({ input, answer, ...rest }: OperationData): Operation {
  const { scope, ...others } = rest as Omit<Operation, 'input' | 'answer'>;
  return {
    ...others,
    ...(scope === undefined ? {} : { scope }),
    input: (j: Root) => schemaFromData(j, input) as ReturnType<NonNullable<Operation['input']>>,
    ...(answer === undefined ? {} : { answer: (j: Root) => schemaFromData(j, answer) }),
  };
}
