import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from '../../config/describe.js';
import type { Config } from '../../config/schema.js';
import { mayAdminister } from '../contract/authority.js';
import type { ChannelDescription } from '../contract/channel.js';
import type { Caller } from '../contract/operation.js';
import type { CatalogRecord, PanelRecord, PluginDetail, PluginRecord, SettingRow, ShownSettings } from '../contract/system.js';
import type { Check } from '../core/catalog/draft.js';
import { channelSlot } from '../core/host/channel.js';
import { fail } from '../core/host/codes.js';
import { supportsPlatform } from '../core/host/compatibility.js';
import type { Disposables } from '../core/host/disposables.js';
import type { Host } from '../core/host/host.js';
import type { Installed } from '../core/host/installed.js';
import type { Bundle } from '../core/host/loader.js';
import { mayCall } from '../core/invoke/authorise.js';
import type { Installer } from '../core/plugins/installer.js';
import type { InstanceReports } from '../core/plugins/instance-reports.js';
import type { AuditTrail } from '../platform/audit/trail.js';
import { Backups } from '../platform/backup/backups.js';
import type { Checks, OwnedCheck } from '../platform/checks/checks.js';
import { ownChecks } from '../platform/checks/own.js';
import type { LogRing } from '../platform/log/log-ring.js';
import { redactFields } from '../platform/log/redaction.js';
import { kernelCleaners } from '../platform/maintenance/cleaners.js';
import type { MaintenanceParts } from '../platform/maintenance/maintenance.js';
import type { PluginProcess } from '../platform/sandbox/process.js';
import { processSlot } from '../platform/sandbox/slot.js';
import type { HostParts } from './host.js';
import type { DoorParts } from './http.js';
import type { BootOptions } from './kernel.js';
import { type KernelParts, kernelBundle } from './kernel-bundle.js';
import { ProcessLoad } from './process-load.js';
import type { ServiceParts } from './services.js';
import { type StatusOptions, statusOf } from './status.js';
import type { StorageParts } from './storage.js';

/** Limit of the process tree: wrapper programs may stand between the started process and the plugin. */
const max_depth = 8;

/** Returns the memory of a process and its descendants, in MB with one decimal; null if the system doesn't report it. */
function memoryOf(pid: number | undefined): number | null {
  try {
    return pid === undefined ? null : Math.round(kilobytesOf(pid, 0) / 102.4) / 10;
  } catch {
    return null;
  }
}

function kilobytesOf(pid: number, depth: number): number {
  const [, own = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (depth === max_depth) return Number(own);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + kilobytesOf(Number(child), depth + 1), Number(own));
}

/** The last phase: administration of the kernel. */
export interface AdministrationParts {
  /** The kernel in the shape of an extension. */
  bundle: Bundle;
  /** Sets the actual port once the server listens: a port of 0 has been replaced by then. */
  listens: (at: { port: number }) => void;
}

interface Parts {
  storage: StorageParts;
  services: ServiceParts;
  doors: DoorParts;
  hosting: HostParts;
  resources: Disposables;
}

export function openAdministration(config: Config, options: BootOptions, parts: Parts): AdministrationParts {
  const { storage, services, doors, hosting, resources } = parts;
  const { version, instance, instance_name, clock, data, started_ms } = storage;
  const { checker, audit } = services;
  const { host, walls, logs, settings } = hosting;
  const { installer, reports } = hosting.installation;
  const load = resources.own(new ProcessLoad());
  const http = () => doors.http?.report();
  const status = { version, instance, instance_name, database: data.dialect, clock, started_ms, host, load, http };
  // These run periodically, so that the time of a failure is known.
  const watched = watchedChecks(config, options, parts);
  let { port } = config;
  const bundle = kernelBundle({
    administration: administration({
      ...{ version, clock, host, installer, reports, logs, settings, checker, status, audit },
      config: () => describe({ ...config, port }, options.sources ?? {}),
      // Not run periodically: without plugins nothing depends on it, and the check starts processes.
      checks: [...watched, { code: 'plugin_walls', probe: () => walls.check(installedPlugins(host)) }],
      walls: (extension) => walls.around(extension),
      trusts: (extension) => config.plugins.trusted.includes(extension),
    }),
    maintenance: maintenanceParts(parts),
    watch: () => {
      checker.forgetRemoved((extension) => host.catalog.extensions.has(extension));
      return checker.run(kernelChecks(watched));
    },
  });
  const listens = (at: { port: number }) => {
    port = at.port;
  };
  return { bundle, listens };
}

function installedPlugins(host: Host): string[] {
  return [...host.catalog.extensions].filter(([, { builtin, manifest }]) => !builtin && manifest.type === 'plugin').map(([id]) => id);
}

function watchedChecks(
  { database_url, min_free_bytes }: Config,
  { listen, background }: BootOptions,
  { storage, services }: Parts,
): Check[] {
  const { data, clock, folder, instance, transport } = storage;
  const { clustered } = transport;
  const watching = { data, clock, data_dir: folder.path, database_url, min_free_bytes, instance, clustered, serves: listen || background };
  return [...services.vital, ...ownChecks(watching)];
}

function maintenanceParts({ storage, services, hosting }: Parts): MaintenanceParts {
  const { data, blobs, folder, clock, log, floor, version } = storage;
  const { audit, idempotency, listeners } = services;
  const { host, files_quota } = hosting;
  // Folders of built-in extensions have no quota.
  const quotaOf = (extension: string) =>
    host.installed(extension)?.bundle.plugin === undefined && host.installed(extension) ? undefined : files_quota;
  const withoutBlobRemovals = <T>(work: () => Promise<T>) => blobs.withoutRemovals(work);
  const backups = new Backups({ data, data_dir: folder.path, server: version, withoutBlobRemovals, quotaOf, clock, log, floor });
  return {
    data,
    backups,
    cleaners: kernelCleaners({ audit, idempotency, listeners, blobs }),
    tidyCache: () => blobs.tidyCache(),
    sweepEvents: () => listeners.sweepDelivered(),
  };
}

interface AdministrationOptions {
  version: string;
  clock: { now(): number };
  host: Host;
  installer: Installer;
  reports: InstanceReports;
  logs: LogRing;
  settings: (extension: string) => Readonly<Record<string, unknown>>;
  /** The kernel's own checks. */
  checks: readonly Check[];
  checker: Checks;
  /** Returns the isolation layers around an extension's process. */
  walls: (extension: string) => readonly string[];
  /** Returns whether a plugin may run without isolation. */
  trusts: (extension: string) => boolean;
  status: StatusOptions;
  audit: AuditTrail;
  /** Returns the settings of this process; secrets are masked. */
  config: () => SettingRow[];
}

/** Implements the operations that show and change the kernel. */
function administration(options: AdministrationOptions): KernelParts['administration'] {
  const { host, installer, version } = options;
  return {
    version,
    plugins: () => [...host.catalog.extensions.keys()].filter((id) => id !== 'kernel').map((id) => recordOf(id, options)),
    record: (name) => recordOf(name, options),
    plugin: (name, caller) => detailOf(name, caller, options),
    disable: (name) => installer.disable(name),
    enable: (name) => installer.enable(name),
    reload: (name) => installer.reload(name),
    settings: async (name) => ({ name, ...(await installer.settings(name)) }),
    configure: async (name, config) => ({ name, ...(await installer.configure(name, config)) }),
    catalogFor: (caller) => catalogFor(host, caller),
    checks: () => options.checker.run(allChecks(options)),
    status: () => statusOf(options.status),
    config: options.config,
    auditTrail: (query) => options.audit.list(query),
  };
}

function allChecks({ host, checks, logs, version }: AdministrationOptions): OwnedCheck[] {
  const extensionChecks = [...host.running.values()].flatMap(({ extension, draft }) =>
    draft.checks.map((check) => ({ extension, ...check })),
  );
  const stopped = [...host.catalog.extensions].flatMap(([extension, { state, error, manifest }]) => {
    if (state !== 'failed') return [];
    const since = logs.of(extension).findLast(({ level }) => level === 'error')?.at;
    // Starting it again, which helps otherwise, can't help here.
    const fix = supportsPlatform(manifest, version) ? undefined : otherVersion(extension);
    return [{ extension, code: 'extension_failed', probe: async () => ({ ok: false, message: error ?? 'It does not run', since, fix }) }];
  });
  return [...kernelChecks(checks), ...stopped, ...extensionChecks];
}

function otherVersion(extension: string): string {
  return `install a version for this platform with: platform extension install ${extension}; or remove it with: platform extension rm ${extension}`;
}

function kernelChecks(checks: readonly Check[]): OwnedCheck[] {
  return checks.map((check) => ({ extension: 'kernel', ...check }));
}

function recordOf(name: string, { host, clock, reports, walls, trusts }: AdministrationOptions): PluginRecord {
  const entry = host.catalog.extensions.get(name);
  if (!entry || name === 'kernel') throw fail('plugin_not_found', `There is no extension '${name}'`);
  const { manifest } = entry;
  const draft = host.running.get(name)?.draft;
  const [own] = (draft?.slots.get(processSlot) ?? []) as (Pick<PluginProcess, 'pid' | 'gone'> | undefined)[];
  const loaded_at = entry.loaded_at ?? null;
  const operations = [...(draft?.operations.values() ?? [])];
  return {
    name,
    title: manifest.name,
    version: manifest.version,
    type: manifest.type,
    description: manifest.description,
    author: manifest.author,
    builtin: entry.builtin,
    state: entry.state,
    error: entry.error ?? null,
    permissions: host.installed(name)?.bundle.plugin?.permissions ?? {},
    contributes: {
      operations: operations.map(({ id }) => id),
      actions: operations.filter(({ operation }) => operation.schedulable).map(({ id }) => id),
      tools: operations.filter(({ operation }) => operation.tool).map(({ id }) => id),
      topics: [...(draft?.topics.keys() ?? [])],
      channels: ((draft?.slots.get(channelSlot) ?? []) as ChannelDescription[]).map((channel) => channel.name),
      subscriptions: (draft?.listeners.length ?? 0) + (draft?.transactionalListeners.length ?? 0),
    },
    restarts: entry.restarts,
    memory_mb: own && !own.gone ? memoryOf(own.pid) : null,
    loaded_at,
    uptime_s: loaded_at === null ? null : Math.max(0, Math.floor((clock.now() - Date.parse(loaded_at)) / 1_000)),
    walls: [...walls(name)],
    trusted: entry.builtin || trusts(name),
    instances: reports.of(name),
  };
}

async function detailOf(name: string, caller: Caller, options: AdministrationOptions): Promise<PluginDetail> {
  const record = recordOf(name, options);
  const readme = await readmeOf(options.host.installed(name));
  if (!mayAdminister(caller)) return { ...record, readme, config: {}, log: [] };
  const log = [...options.logs.of(name)];
  const { plugin, manifest } = options.host.installed(name)?.bundle ?? {};
  if (!plugin) return { ...record, readme, config: redactFields(options.settings(name)), log };
  return { ...record, readme, config: manifest?.config ? maskedConfig(await options.installer.settings(name)) : {}, log };
}

function maskedConfig({ config, secrets }: ShownSettings): object {
  return { ...redactFields(config), ...Object.fromEntries(secrets.map((name) => [name, '[redacted]'])) };
}

async function readmeOf(installed: Installed | undefined): Promise<string> {
  if (installed?.folder === undefined) return '';
  const { readme = 'README.md' } = installed.bundle.manifest;
  return readFile(join(installed.folder, readme), 'utf8').catch(() => '');
}

/** Returns a panel reduced to the operations that the caller may use; none if its list is not allowed. */
function permittedPanel(panel: PanelRecord, operations: object): PanelRecord[] {
  const may = (id: string | undefined) => id !== undefined && Object.hasOwn(operations, id);
  const { details, actions = [], remove, ...rest } = panel;
  if (!may(panel.operation)) return [];
  const allowed = actions.filter(({ operation }) => may(operation));
  return [
    {
      ...rest,
      ...(details !== undefined && may(details) ? { details } : {}),
      ...(allowed.length > 0 ? { actions: allowed } : {}),
      ...(remove && may(remove.operation) ? { remove } : {}),
    },
  ];
}

function catalogFor(host: Host, caller: Caller): CatalogRecord {
  const allowed = [...host.catalog.operations.values()].filter(({ operation }) => mayCall(operation, caller));
  const operations = Object.fromEntries(allowed.map((active) => [active.id, { ...active.data(), extension: active.extension }]));
  const commands = [...host.running.values()]
    .flatMap(({ bundle }) => bundle.manifest.contributes?.commands ?? [])
    .filter(({ operation }) => Object.hasOwn(operations, operation));
  const panels = [...host.running.values()].flatMap(({ extension, bundle }) =>
    (bundle.manifest.contributes?.panels ?? []).map((panel) => ({ extension, ...panel })),
  );
  return {
    generation: host.catalog.generation,
    operations,
    commands,
    panels: panels.flatMap((panel) => permittedPanel(panel, operations)),
  };
}
