import joi from 'joi';
import semver from 'semver';
import type { CommandHint, Contributions, Manifest, PanelHint, Permissions, PluginLimits, RunningText } from '../contract/manifest.js';
import { exact, type Keys } from './exact.js';
import { most_contributions, operationSchema } from './operation-schema.js';

const version = joi
  .string()
  .max(100)
  .custom((value: string) => {
    if (!semver.valid(value)) throw new Error('must be a semantic version such as 1.4.0');
    return value;
  });

const range = joi
  .string()
  .max(200)
  .custom((value: string) => {
    if (semver.validRange(value) === null) throw new Error('must be a semver range such as ^1.2.0');
    return value;
  });

const id = joi.string().pattern(/^[a-z0-9][a-z0-9._-]{1,63}$/);
/** What is shown in one line. */
const line = (most: number) =>
  joi
    .string()
    .max(most)
    .pattern(/^[^\p{Cc}\u2028\u2029]*$/u, 'one line');
const key = joi.string().max(100);
const operationId = joi
  .string()
  .max(200)
  .pattern(/^[a-z0-9][A-Za-z0-9._-]*$/);
/** A path within the bundle, as far as its shape goes; that it stays inside is seen when it is looked up. */
const file = joi.string().max(200);

const host = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*(:([1-9][0-9]{0,4}|\*))?$/;
/** Not what holds the platform's own keys, nor what changes how a program starts. */
const variable = /^(?!PLATFORM_|NODE_|LD_|DYLD_)[A-Z][A-Z0-9_]{0,63}$/;

const permissions = exact<Permissions>({
  operations: joi.array().items(operationId).max(200).unique(),
  events: joi.array().items(operationId).max(200).unique(),
  network: joi.array().items(joi.string().max(260).pattern(host, 'a host in lower case')).max(100).unique(),
  storage: joi.boolean(),
  env: joi.array().items(joi.string().pattern(variable, 'a variable that a plugin may have')).max(50).unique(),
  public_routes: joi.boolean(),
});

const limits = exact<PluginLimits>({
  memory_mb: joi.number().integer().min(16).max(512),
  call_timeout_ms: joi.number().integer().min(100).max(120_000),
});

const runningText = exact<RunningText>({
  delta: key.required(),
  whole: key.required(),
  notices: joi.object().pattern(key, line(500)).max(50).unknown(false),
});

const command = exact<CommandHint>({
  operation: operationId.required(),
  command: joi
    .string()
    .max(100)
    .pattern(/^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$/)
    .required(),
  arguments: joi.array().items(key).max(20),
  secrets: joi.array().items(key).max(20),
  columns: joi.array().items(key).max(50),
  confirm: line(300),
  text: runningText,
  follow: joi.object({ operation: operationId.required(), input: joi.array().items(key).max(20).required() }).unknown(false),
  example: line(300),
});

const panel = exact<PanelHint>({
  title: line(64).required(),
  operation: operationId.required(),
  columns: joi.array().items(key).max(50),
  actions: joi.array().items(operationId).max(50),
});

const topic = joi
  .object({ name: joi.string().max(64).required(), readers: joi.string().valid('member', 'admin').required() })
  .unknown(false);

const contributes = exact<Contributions>({
  operations: joi.object().pattern(operationId, operationSchema).max(most_contributions).unknown(false),
  commands: joi.array().items(command).max(most_contributions),
  actions: joi.array().items(operationId).max(most_contributions),
  tools: joi.array().items(operationId).max(most_contributions),
  topics: joi.array().items(topic).max(most_contributions),
  channels: joi.array().items(id).max(50),
  panels: joi.array().items(panel).max(50),
});

/** The platform's own are written by the build; what only the loader needs is looked at. */
const ownContributes = joi.object({
  operations: joi
    .object()
    .pattern(
      joi.string(),
      joi.object({ summary: joi.string().required(), method: joi.string().required(), path: joi.string().required() }).unknown(),
    ),
  commands: joi.array().items(joi.object({ operation: joi.string().required(), command: joi.string().required() }).unknown()),
});

const common = {
  id: id.required(),
  name: line(64).required(),
  type: joi.string().valid('plugin', 'skill').required(),
  version: version.required(),
  description: line(500).required(),
  author: line(100).required(),
  license: line(100),
  category: joi.string().pattern(/^[a-z0-9][a-z0-9-]{0,31}$/),
  tags: joi
    .array()
    .items(joi.string().pattern(/^[\p{L}\p{N}][\p{L}\p{N} ._+#-]{0,31}$/u))
    .max(20)
    .unique(),
  homepage: joi
    .string()
    .max(500)
    .uri({ scheme: ['https', 'http'] }),
  readme: file,
  main: file.default('index.cjs'),
  dependencies: joi.object().pattern(id, range).max(50).unknown(false),
  engines: joi.object({ platform: range }).unknown(false),
  permissions,
  config: joi.object(),
  limits,
};

const own: Keys<Manifest> = {
  ...common,
  claims: joi.array().items(joi.string().pattern(/^(\/[A-Za-z0-9._-]+)+$/)),
  required: joi.boolean(),
  requires: joi.array().items(joi.string()),
  contributes: ownContributes,
};

/** Of the platform's own extensions. */
export const ownManifest = joi.object<Manifest>(own).unknown();

const claim = joi.string().valid(joi.ref('...id', { adjust: (given: string) => `/api/x/${given}` }));
const ours = joi.forbidden().messages({ 'any.unknown': "{{#label}} is only for the platform's own extensions" });

const foreign: Keys<Manifest> = {
  ...common,
  claims: joi.array().items(claim).length(1).messages({ 'any.only': "{{#label}} must be '/api/x/' and the id, or be left out" }),
  required: ours,
  requires: ours,
  contributes,
};

/** Of everybody else's: unknown keys of the manifest itself are dropped, those further in are refused. */
export const foreignManifest = joi.object<Manifest>(foreign).options({ stripUnknown: true, convert: false });
