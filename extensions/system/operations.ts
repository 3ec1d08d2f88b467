import type { Joi, Operations, Subject, SystemApi } from '../../kernel/contract/index.js';
import { auditOperations } from './audit-operations.js';
import { maintenanceOperations } from './maintenance-operations.js';

const extensions: Subject = {
  name: 'Extensions',
  description: 'The loaded extensions, their settings, and the operations that you may call.',
};

const name = (j: Joi) =>
  j
    .string()
    .pattern(/^[a-z0-9][a-z0-9._-]{1,63}$/)
    .required()
    .description('The id of the extension');

const texts = (j: Joi) => j.array().items(j.string());

const state = (j: Joi) => j.string().valid('loading', 'active', 'disabled', 'restarting', 'failed');

const pluginKeys = (j: Joi) => ({
  name: name(j),
  title: j.string().required(),
  version: j.string().required(),
  type: j.string().valid('plugin', 'skill').required(),
  description: j.string().required(),
  author: j.string().required(),
  builtin: j.boolean().required(),
  state: state(j).required(),
  error: j.string().allow(null).required(),
  permissions: j.object().unknown().required(),
  contributes: j
    .object({
      operations: texts(j).required(),
      actions: texts(j).required(),
      tools: texts(j).required(),
      topics: texts(j).required(),
      channels: texts(j).required(),
      subscriptions: j.number().integer().required(),
    })
    .required(),
  restarts: j.number().integer().required(),
  memory_mb: j.number().allow(null).required(),
  loaded_at: j.string().isoDate().allow(null).required(),
  uptime_s: j.number().integer().allow(null).required(),
  walls: texts(j).required(),
  trusted: j.boolean().required(),
  instances: j
    .array()
    .items(
      j.object({
        instance: j.string().required(),
        version: j.string().required(),
        state: state(j).required(),
        error: j.string().allow(null).required(),
      }),
    )
    .required(),
});

const plugin = (j: Joi) => j.object(pluginKeys(j));

const detail = (j: Joi) =>
  j.object({
    ...pluginKeys(j),
    readme: j.string().allow('').required(),
    config: j.object().unknown().required(),
    log: j
      .array()
      .items(
        j.object({
          at: j.string().isoDate().required(),
          level: j.string().required(),
          message: j.string().allow('').required(),
          fields: j.object().unknown().required().description("Shortened, without secrets and stack traces; the server's log is complete"),
        }),
      )
      .required(),
  });

const settings = (j: Joi) =>
  j.object({
    name: name(j),
    schema: j.object().unknown().required(),
    config: j.object().unknown().required(),
    secrets: texts(j).required(),
  });

const figure = (j: Joi) => j.number().min(0).required();

const status = (j: Joi) =>
  j.object({
    version: j.string().required(),
    instance: j.string().required(),
    instance_name: j.string().required(),
    pid: j.number().integer().required(),
    node_version: j.string().required(),
    database: j.string().valid('sqlite', 'postgres').required(),
    started_at: j.string().isoDate().required(),
    uptime_s: figure(j),
    http: j
      .object({
        url: j.string().required(),
        requests: figure(j),
        errors: figure(j),
        requests_per_second: figure(j),
        errors_per_minute: figure(j),
        streams: figure(j),
        sockets: figure(j),
      })
      .allow(null)
      .required(),
    event_loop_delay_ms: j
      .object({ p50: figure(j), p99: figure(j), max: figure(j) })
      .allow(null)
      .required(),
    cpu_percent: j.number().min(0).allow(null).required(),
    memory_mb: j.object({ rss: figure(j), heap_used: figure(j), heap_total: figure(j) }).required(),
    extensions: j
      .object({
        active: figure(j),
        disabled: figure(j),
        failed: j
          .array()
          .items(j.object({ name: name(j), error: j.string().required() }))
          .required(),
      })
      .required(),
    seats: j
      .object({ used: figure(j), limit: figure(j) })
      .allow(null)
      .required(),
    figures: j
      .array()
      .items(
        j.object({
          extension: j.string().required(),
          name: j.string().required(),
          help: j.string().allow('').required(),
          value: j.number().required(),
        }),
      )
      .required(),
  });

const change = {
  method: 'POST',
  who: 'admin',
  audience: 'admin',
  input: (j: Joi) => j.object({ name: name(j) }),
  answer: plugin,
  audited: true,
  dangerous: true,
  timeout_ms: 60_000,
} as const;

/** Operations on the platform itself. */
export const operations = {
  'plugins.list': {
    summary: 'Lists the installed extensions and their states.',
    subject: extensions,
    method: 'GET',
    path: '/api/plugins',
    who: 'member',
    audience: 'members',
    answer: (j) => j.array().items(plugin(j)),
    tool: true,
  },
  'plugins.get': {
    summary: 'Shows one extension with its readme, settings and last log lines.',
    subject: extensions,
    method: 'GET',
    path: '/api/plugins/{name}',
    who: 'member',
    // Only administrators see its settings and log lines.
    audience: 'caller',
    input: (j) => j.object({ name: name(j) }),
    answer: detail,
    failures: ['plugin_not_found'],
  },
  'plugins.disable': {
    ...change,
    summary: 'Stops an extension and all that depend on it. Its data stays.',
    path: '/api/admin/plugins/{name}/disable',
    failures: ['plugin_not_found', 'extension_required'],
  },
  'plugins.enable': {
    ...change,
    summary: 'Starts an extension that was disabled or has failed.',
    path: '/api/admin/plugins/{name}/enable',
    failures: [
      'plugin_not_found',
      'extension_failed',
      'dependency_missing',
      'extension_conflict',
      'engine_mismatch',
      'plugin_not_contained',
    ],
  },
  'plugins.reload': {
    ...change,
    summary: 'Loads an extension again from its folder and replaces the running version.',
    path: '/api/admin/plugins/{name}/reload',
    failures: [
      'plugin_not_found',
      'extension_failed',
      'dependency_missing',
      'extension_conflict',
      'manifest_invalid',
      'engine_mismatch',
      'plugin_not_contained',
    ],
  },
  'plugins.settings': {
    summary: "Shows the settings of a third party's plugin and their schema; secrets are named, not shown.",
    subject: extensions,
    method: 'GET',
    path: '/api/admin/plugins/{name}/config',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ name: name(j) }),
    answer: settings,
    failures: ['plugin_not_found', 'plugin_without_config'],
    tool: true,
  },
  'plugins.configure': {
    ...change,
    subject: extensions,
    method: 'PUT',
    summary: "Changes the settings of a third party's plugin and restarts it with them. If it can't be started, the old settings stay.",
    path: '/api/admin/plugins/{name}/config',
    input: (j) =>
      j.object({
        name: name(j),
        config: j.object().unknown().required().description('All settings. A secret that is left out stays; null removes one'),
      }),
    answer: settings,
    tool: true,
    secrets: ['config'],
    failures: ['plugin_not_found', 'plugin_without_config', 'extension_failed', 'plugin_not_contained', 'dependency_missing'],
  },
  'catalog.get': {
    summary: 'Lists the operations that you may call now, with their inputs and their commands.',
    subject: extensions,
    method: 'GET',
    path: '/api/catalog',
    who: 'member',
    audience: 'caller',
    answer: (j) =>
      j.object({
        generation: j.number().integer().required(),
        operations: j.object().unknown().required(),
        commands: j.array().items(j.object().unknown()).required(),
        panels: j.array().items(j.object().unknown()).required().description("Plugins' pages in the dashboard"),
      }),
    etag: true,
  },
  'version.get': {
    summary: 'Shows the versions of the API and of the server.',
    method: 'GET',
    path: '/api/version',
    who: 'public',
    audience: 'members',
    answer: (j) => j.object({ api: j.string().required(), server: j.string().required() }),
  },
  'checks.list': {
    summary: 'Runs the checks of the kernel and of all extensions, and shows which fail.',
    method: 'GET',
    path: '/api/admin/checks',
    who: 'admin',
    audience: 'admin',
    answer: (j) =>
      j.array().items(
        j.object({
          extension: j.string().required(),
          code: j.string().required(),
          ok: j.boolean().required(),
          message: j.string().allow('').required(),
          since: j.string().isoDate().allow(null).required().description('Since when this instance has seen it fail'),
          fix: j.string().allow(null).required().description('How to fix it: a command, or a setting with an example'),
        }),
      ),
  },
  'status.get': {
    summary: "Shows the server's status: requests, errors, memory, extensions, seats.",
    method: 'GET',
    path: '/api/admin/status',
    who: 'admin',
    audience: 'admin',
    answer: status,
  },
  'config.get': {
    summary: "Shows the server's settings and the source of each; secrets are masked.",
    method: 'GET',
    path: '/api/admin/config',
    who: 'admin',
    audience: 'admin',
    answer: (j) =>
      j.array().items(
        j.object({
          key: j.string().required(),
          value: j.any().required().description('The value; for port 0 the chosen port'),
          source: j.string().required().description('`default`, `file <path>`, `environment <variable>`, `flag`, or `unknown`'),
          environment: j.string().required().description('The environment variable that sets it'),
          summary: j.string().required(),
        }),
      ),
  },
  ...maintenanceOperations,
  ...auditOperations,
} satisfies Operations<SystemApi>;
