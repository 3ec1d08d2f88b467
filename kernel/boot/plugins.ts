import { join } from 'node:path';
import type { Secrets } from '../contract/data.js';
import type { Extension } from '../contract/extension.js';
import type { Bus } from '../contract/journal.js';
import type { Caller } from '../contract/operation.js';
import type { ServiceMembers } from '../contract/service-member.js';
import type { ExtensionReport } from '../contract/system.js';
import type { Disposables } from '../core/host/disposables.js';
import type { Host } from '../core/host/host.js';
import type { Patterns } from '../core/host/pattern.js';
import { reservedWords } from '../core/host/reserved-ids.js';
import { BundleFolders, type BundleReader } from '../core/plugins/bundle-folders.js';
import { Follower } from '../core/plugins/follower.js';
import { InstalledStore } from '../core/plugins/installed-store.js';
import { Installer } from '../core/plugins/installer.js';
import { InstanceReports } from '../core/plugins/instance-reports.js';
import { OwnBundles } from '../core/plugins/own-bundles.js';
import type { Plugin } from '../core/plugins/plugin.js';
import { Plugins, type Step } from '../core/plugins/plugins.js';
import { Restarts } from '../core/plugins/restarts.js';
import { PluginSettings } from '../core/plugins/settings.js';
import type { ChildLog } from '../core/ports.js';
import type { BlobStore } from '../platform/data/blobs.js';
import type { Data } from '../platform/data/hub.js';
import type { DiskFloor } from '../platform/files/disk-floor.js';
import type { FolderQuota } from '../platform/files/files-below.js';
import type { SandboxOptions } from '../platform/sandbox/plugin.js';
import type { Containment } from '../platform/sandbox/walls/containment.js';

export interface InstallationOptions {
  /** Isolates plugins in separate processes. */
  walls: Containment;
  /** Limit of a plugin's own folder. */
  files_quota: FolderQuota;
  floor: Pick<DiskFloor, 'admit'>;
  host: Host;
  data: Data;
  secrets: Secrets;
  data_dir: string;
  blobs: BlobStore;
  bus: Bus;
  clustered: boolean;
  instance: string;
  clock: { now(): number; iso(): string };
  /** Folders of the built-in extensions. */
  builtin: readonly string[];
  /** Whether no other process uses the data folder. */
  alone: boolean;
  timers: Timers;
  step: (step: Step) => void | Promise<void>;
  log: ChildLog;
}

/** Timers of restarts. */
export interface Timers {
  /** Calls `work` after a time; returns the function that cancels it. */
  after: (ms: number, work: () => void) => () => void;
  random: () => number;
}

/** Components that install extensions, follow other instances, and restart crashed plugins. */
export interface InstallationParts {
  installer: Installer;
  reports: InstanceReports;
  restarts: Restarts;
  /** Returns the caller for a third-party plugin's work outside of any call. */
  itself: (extension: string) => Promise<Caller | undefined>;
  /** Starts to follow the other instances, after all extensions have been loaded. */
  start: (resources: Disposables) => Promise<void>;
}

export function openInstallation(options: InstallationOptions): InstallationParts {
  const { host, walls, files_quota, floor, data, secrets, data_dir, blobs, bus, clustered, instance, clock, builtin, alone, timers } =
    options;
  const { step, log } = options;
  const folder = join(data_dir, 'extensions');
  const restarts = new Restarts({ host, clock, log, ...timers });
  const store = new InstalledStore(data, clock);
  const own = new OwnBundles({ folder, log });
  const kernelBlobs = blobs.of('kernel');
  const shelf = new BundleFolders({ folder, data_dir, reader, blobs: kernelBlobs, builtin: () => builtinWords(host) });
  const settings = new PluginSettings({ data, secrets, patterns });
  const contain = (plugin: Plugin, permissions: object) => contained(plugin, permissions, { restarts, walls, files_quota });
  const plugins = new Plugins({ host, store, folders: shelf, contain, blobs: kernelBlobs, settings, floor, step });
  const findServiceMembers = serviceMembers(host);
  const itself = async (id: string) => {
    const bundle = host.installed(id)?.bundle;
    if (!bundle?.plugin || bundle.manifest.type === 'skill') return undefined;
    return findServiceMembers()?.caller({ id, name: bundle.manifest.name });
  };
  const members = { make: itself, remove: async (id: string) => findServiceMembers()?.remove(id) };
  const forget = (id: string) => settings.forget(id);
  const installer = new Installer({
    host,
    store,
    plugins,
    folders: shelf,
    own,
    bus,
    instance,
    builtin,
    alone,
    forget,
    members,
    restarts,
    log,
  });
  const lagged = () => reports.changed();
  const follower = new Follower({ installer, bus, instance, clock, clustered, onLagChanged: lagged, log });
  const reports: InstanceReports = new InstanceReports({ bus, instance, clock, own: () => reportsOf(host, follower) });
  return {
    installer,
    reports,
    restarts,
    itself,
    async start(resources) {
      resources.own({ dispose: await follower.start() });
      resources.own({ dispose: await reports.start() });
      resources.own({ dispose: () => installer.close() });
    },
  };
}

/** Reads bundles; its modules are loaded on first use. */
const reader: BundleReader = {
  check: async (file, rules) => (await import('../platform/bundles/reader.js')).check(file, rules),
  unpack: async (file, folder, rules) => (await import('../platform/bundles/reader.js')).unpack(file, folder, rules),
  skill: async (folder) => (await import('../platform/bundles/skill-folder.js')).readSkillFolder(folder),
  remove: async (folder) => (await import('../platform/bundles/folder.js')).removeFolder(folder),
};

/** Creates the pattern checks of settings, as in operation schemas; loaded on first use. */
async function patterns(extension: string): Promise<Patterns> {
  const { Patterns } = await import('../core/host/pattern.js');
  return new Patterns(extension);
}

/** Returns the first words reserved for names of the platform. */
function builtinWords(host: Host): string[] {
  return reservedWords(
    [...host.catalog.extensions.keys()]
      .flatMap((id) => host.installed(id)?.bundle ?? [])
      .flatMap(({ plugin, manifest }) => (plugin ? [] : manifest)),
  );
}

function serviceMembers(host: Host) {
  return (): ServiceMembers | undefined => {
    for (const { draft } of host.running.values()) {
      const [found] = draft.slots.get('plugins.member') ?? [];
      if (found) return found as ServiceMembers;
    }
    return undefined;
  };
}

function reportsOf(host: Host, follower: Follower): Record<string, ExtensionReport> {
  const all = [...host.catalog.extensions].filter(([id]) => id !== 'kernel');
  return Object.fromEntries(
    all.map(([id, { manifest, state, error }]) => {
      const reason = error ?? follower.lagOf(id) ?? null;
      return [id, { version: manifest.version, state, error: reason?.slice(0, 500) ?? null }];
    }),
  );
}

interface ContainmentParts {
  restarts: Restarts;
  walls: Containment;
  files_quota: FolderQuota;
}

const caps = { memory_mb: { min: 16, max: 512 }, call_timeout_ms: { min: 100, max: 120_000 } };

/** Wraps a plugin as an extension that runs it in a separate process, restarted after a crash. The sandbox is loaded on first use. */
function contained({ manifest, folder }: Plugin, permissions: object, { restarts, walls, files_quota }: ContainmentParts): Extension {
  const { id, limits = {} } = manifest;
  const options: SandboxOptions = {
    permissions,
    walls,
    files_quota,
    ...clamped('memory_mb', limits.memory_mb),
    ...clamped('call_timeout_ms', limits.call_timeout_ms),
    onExit: ({ expected, reason }, signal) => {
      if (!expected) restarts.lost({ id, signal, reason });
    },
    retry_after: () => restarts.retryAfter(id) ?? 1,
  };
  let extension: Extension | undefined;
  return {
    async activate(ctx) {
      const { sandboxed } = await import('../platform/sandbox/plugin.js');
      extension = sandboxed({ manifest, folder }, options);
      await extension.activate(ctx);
    },
    deactivate: (reason) => extension?.deactivate?.(reason),
  };
}

function clamped(name: keyof typeof caps, wanted: number | undefined): Partial<SandboxOptions> {
  const { min, max } = caps[name];
  return wanted === undefined ? {} : { [name]: Math.min(max, Math.max(min, wanted)) };
}
