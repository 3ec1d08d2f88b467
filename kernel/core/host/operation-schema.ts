import joi from 'joi';
import type { OperationData } from '../../contract/manifest.js';
import { exact } from './exact-schema.js';

/** Limit of each kind of contribution (operations, checks, topics …) of one extension. */
export const max_contributions = 500;

const name = joi.string().max(200);
const names = joi.array().items(name).max(max_contributions);

/** Operation of a plugin as data, in its manifest and in the registration of its running process. */
export const operationSchema = exact<OperationData>({
  summary: joi.string().max(500).required(),
  // An upload needs a body.
  method: joi
    .string()
    .valid('POST', 'PUT')
    .required()
    .when('kind', { is: 'upload', otherwise: joi.valid('GET', 'DELETE') }),
  path: joi.string().max(300).required(),
  who: joi.string().valid('public', 'member', 'admin').required(),
  // A plugin's answers are JSON: it serves no files.
  kind: joi.string().valid('call', 'stream', 'upload').required(),
  input: joi.object().required(),
  query: names,
  answer: joi.object(),
  status: joi.number().valid(200, 201, 202, 204).required(),
  also: joi.array().items(joi.number().integer().min(200).max(299)).max(20),
  failures: names,
  scope: joi.string().valid('read', 'chat', 'admin'),
  dangerous: joi.boolean(),
  // An administrators' operation has no other audience.
  audience: joi
    .string()
    .valid('admin')
    .when('who', { is: 'admin', otherwise: joi.valid('members', 'caller') }),
  audited: joi.valid(true, false, 'refused'),
  costly: joi.boolean(),
  tool: joi.boolean(),
  // Only the platform's own operations act in a person's name.
  mcp: joi.forbidden(),
  schedulable: joi.boolean(),
  secrets: joi.array().items(joi.string().max(200)).max(100),
  idempotent: joi.string().valid('data', 'external'),
  respond_async: joi.boolean(),
  progress: joi.boolean(),
  verbatim: joi.boolean(),
  etag: joi.boolean(),
  raw: joi
    .string()
    .max(100)
    .pattern(/^[a-z]+\/[a-z0-9.+-]+$/),
  file_field: joi.string().pattern(/^[a-z][a-z0-9_]{0,31}$/),
  max_bytes: joi
    .number()
    .integer()
    .min(1)
    .max(50 * 1024 * 1024),
  timeout_ms: joi.number().integer().min(1).max(600_000),
});
