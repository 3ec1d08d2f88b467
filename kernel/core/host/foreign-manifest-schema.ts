import joi from 'joi';
import type {
  CommandHint,
  Contributions,
  Manifest,
  PanelAction,
  PanelHint,
  Permissions,
  PluginLimits,
  ReferenceKind,
  RunningText,
  StreamProgress,
} from '../../contract/manifest.js';
import { exact, type Keys } from './exact-schema.js';
import { line, shared } from './manifest-schema.js';
import { max_contributions, operationSchema } from './operation-schema.js';

const key = joi.string().max(100);
const operationId = joi
  .string()
  .max(200)
  .pattern(/^[a-z0-9][A-Za-z0-9._-]*$/);
/** Shape of a path within the bundle. The lookup checks that it stays inside. */
const file = joi.string().max(200);

const host = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*(:([1-9][0-9]{0,4}|\*))?$/;
/** Excludes variables with the platform's keys and those that change how a program starts. */
const variable = /^(?!PLATFORM_|NODE_|LD_|DYLD_)[A-Z][A-Z0-9_]{0,63}$/;

const permissions = exact<Permissions>({
  operations: joi.array().items(operationId).max(200).unique(),
  events: joi.array().items(operationId).max(200).unique(),
  network: joi.array().items(joi.string().max(260).pattern(host, 'lower-case host')).max(100).unique(),
  storage: joi.boolean(),
  env: joi.array().items(joi.string().pattern(variable, 'allowed variable')).max(50).unique(),
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
  status: key,
  aside: key,
  tools: joi.boolean(),
  // A plugin could show one question and have another one approved.
  approvals: joi.forbidden(),
});

const progress = exact<StreamProgress>({
  event: key.required(),
  done: key.required(),
  total: key.required(),
  failed: joi.array().items(line(100)).max(20),
});

/** Excludes the flags of every command. */
const flagName = joi
  .string()
  .max(50)
  .pattern(/^[a-z][a-z0-9-]*$/)
  .invalid('help', 'version', 'json', 'yes', 'url', 'profile', 'data-dir', 'config', 'debug', 'file', 'out', 'follow', 'wait');

/** Excludes conversations: no plugin's command takes one. */
const referenceKinds: readonly ReferenceKind[] = ['member', 'employee', 'node', 'schedule'];

const command = exact<CommandHint>({
  operation: operationId.required(),
  command: joi
    .string()
    .max(100)
    .pattern(/^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$/)
    .required(),
  arguments: joi.array().items(key).max(20),
  refers: joi
    .object()
    .pattern(key, joi.string().valid(...referenceKinds))
    .max(20)
    .unknown(false),
  secrets: joi.array().items(key).max(20),
  columns: joi.array().items(key).max(50),
  confirm: line(300),
  success: key,
  spread: joi.array().items(key).max(10),
  flags: joi.object().pattern(key, flagName).max(20).unknown(false),
  text: runningText,
  confirm_if: joi.forbidden(),
  preset: joi.forbidden(),
  aliases: joi.forbidden(),
  // A plugin's command must not choose the operation that local files go to.
  attachments: joi.forbidden(),
  markdown: joi.forbidden(),
  named: joi.forbidden(),
  // Output of a plugin is always passed on as sanitised text.
  process: joi.forbidden(),
  progress,
  follow: joi.object({ operation: operationId.required(), input: joi.array().items(key).max(20).required() }).unknown(false),
  example: line(300),
});

const panelLabel = line(24).required();
const question = line(120);

const panelAction = exact<PanelAction>({
  key: joi
    .string()
    .pattern(/^[a-z]$/i, 'single letter')
    // Keys of every list.
    .invalid(...Array.from('gjkqyGJKQY'))
    .required(),
  label: panelLabel,
  operation: operationId.required(),
  confirm: question,
  of: joi.string().valid('record', 'list'),
  shows: joi.boolean(),
});

const panel = exact<PanelHint>({
  title: panelLabel,
  operation: operationId.required(),
  columns: joi.array().items(key).min(1).max(12).unique(),
  refresh_s: joi.number().integer().min(1).max(3_600),
  details: operationId,
  actions: joi.array().items(panelAction).max(10).unique('key'),
  remove: exact<NonNullable<PanelHint['remove']>>({ operation: operationId.required(), confirm: question }),
});

const topic = joi
  .object({ name: joi.string().max(64).required(), readers: joi.string().valid('member', 'admin').required() })
  .unknown(false);

const builtinOnly = joi.forbidden().messages({ 'any.unknown': "{{#label}} is only allowed in the platform's own extensions" });

const contributes = exact<Contributions>({
  operations: joi.object().pattern(operationId, operationSchema).max(max_contributions).unknown(false),
  commands: joi.array().items(command).max(max_contributions),
  actions: joi.array().items(operationId).max(max_contributions),
  tools: joi.array().items(operationId).max(max_contributions),
  topics: joi.array().items(topic).max(max_contributions),
  channels: joi.array().items(joi.string().max(64)).max(50),
  panels: joi.array().items(panel).max(3),
  web: builtinOnly,
});

const claim = joi.string().valid(joi.ref('...id', { adjust: (given: string) => `/api/x/${given}` }));

const foreign: Keys<Manifest> = {
  ...shared,
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
  permissions,
  config: joi.object(),
  limits,
  claims: joi.array().items(claim).length(1).messages({ 'any.only': "{{#label}} must be '/api/x/' and the id, or be left out" }),
  protocols: builtinOnly,
  required: builtinOnly,
  requires: builtinOnly,
  pages: builtinOnly,
  contributes,
};

/** Manifests of third parties: drops unknown top-level keys and rejects unknown nested ones. */
export const foreignManifest = joi.object<Manifest>(foreign).options({ stripUnknown: true, convert: false });
