import type { Config } from '../../config/schema.js';
import { settingsOf } from '../../config/sections.js';
import type { Extensions } from '../contract/installation.js';
import type { Cell, CellContent } from '../core/catalog/cell.js';
import { Activator } from '../core/host/activate.js';
import type { Services } from '../core/host/context.js';
import type { Disposables } from '../core/host/disposables.js';
import { Host } from '../core/host/host.js';
import { ownExtensions } from '../core/plugins/own-bundles.js';
import { isSigned, isSigningKey } from '../platform/bundles/signature.js';
import { openStorage } from '../platform/data/storage.js';
import { DocumentReader } from '../platform/documents/documents.js';
import type { FolderQuota } from '../platform/files/files-below.js';
import { LogRing } from '../platform/log/log-ring.js';
import { Containment } from '../platform/sandbox/walls/containment.js';
import { Thumbnailer } from '../platform/thumbnails/thumbnailer.js';
import { Workers } from '../platform/work/worker.js';
import type { DoorParts } from './http.js';
import type { BootOptions } from './kernel.js';
import { type InstallationParts, openInstallation, type Timers } from './plugins.js';
import type { ServiceParts } from './services.js';
import type { StorageParts } from './storage.js';

/** The fourth phase: host and installer of extensions. Nothing is loaded yet. */
export interface HostParts {
  host: Host;
  installation: InstallationParts;
  /** Isolates plugins in separate processes. */
  walls: Containment;
  /** Limit of a plugin's own folder. */
  files_quota: FolderQuota;
  /** Last log lines of each extension. */
  logs: LogRing;
  settings: (extension: string) => Readonly<Record<string, unknown>>;
}

interface Parts {
  storage: StorageParts;
  services: ServiceParts;
  doors: DoorParts;
  resources: Disposables;
}

/** Grace period for open connections after all extensions have stopped. */
const http_close_ms = 2_000;

export function openHost(config: Config, options: BootOptions, { storage, services, doors, resources }: Parts): HostParts {
  const { data, folder, secrets, blobs, floor, clock, log, instance, version, transport } = storage;
  const { listeners, repeats, loaded } = services;
  const { http, inner, topics } = doors;
  const { bus, clustered } = transport;
  const settings = (extension: string) => settingsOf(config, extension);
  const logs = new LogRing(clock);
  const walls = resources.own(new Containment({ data_dir: folder.path, trusted: config.plugins.trusted }));
  // Acquired after the walls, so that its processes end before these are disposed of.
  const documents = resources.own(new DocumentReader({ walls, data_dir: folder.path, log }));
  const thumbnails = resources.own(new Thumbnailer({ walls, data_dir: folder.path, log }));
  const base_url = config.base_url?.replace(/\/+$/, '') || undefined;
  const { background, strict = false } = options;
  const contextServices = servicesOf({ storage, services, doors }, { settings, logs, documents, thumbnails, background, strict, base_url });
  const cells = http && {
    build: (content: CellContent) => http.buildCell(content),
    stop: (cell: Cell) => cell.stop(),
    stopStreams: (extension: string) => http.stopStreams(extension),
  };
  const activator = new Activator({ services: contextServices, listeners, repeats, cells });
  const host = new Host({ loaded, activator, platform_version: version });
  // Resources acquired from here on are released before this one: during the shutdown nothing changes any more.
  resources.own({
    async dispose() {
      await host.close();
      await http?.close(http_close_ms);
      await inner.close();
    },
  });
  const files_quota = { files: config.plugins.files, bytes: config.plugins.files_bytes };
  const installation = openInstallation({
    ...{ walls, files_quota, floor, secrets, host, data, blobs, bus, clustered, instance, clock, log },
    data_dir: folder.path,
    builtin: options.extensions ?? ownExtensions(),
    alone: options.background,
    timers: options.timers ?? timers,
    step: options.installing ?? (() => {}),
  });
  const { restarts, reports, itself } = installation;
  activator.installBy({ extensions: extensionsOf(installation, version), itself });
  // Acquired before anything starts, so that a failed start leaves no pending restarts.
  resources.own({ dispose: () => restarts.close() });
  host.onPublished((catalog) => {
    http?.publish(catalog);
    topics.published(catalog);
    reports.changed();
  });
  host.onStartFailed((id, fault) => restarts.startFailed(id, fault));
  return { host, installation, walls, files_quota, logs, settings };
}

type HostServices = Pick<Services, 'settings' | 'documents' | 'thumbnails' | 'background' | 'strict' | 'base_url'> & { logs: LogRing };

/** Returns the services of each extension's context. */
function servicesOf(
  { storage, services, doors }: Omit<Parts, 'resources'>,
  hostServices: HostServices,
): Omit<Services, 'extensions' | 'itself'> {
  const { log, clock, data, folder, blobs, secrets, requests, instance, transport } = storage;
  const { pusher, presence, events, fetch, invoke, validate } = services;
  const { journal, bus } = transport;
  return {
    ...{ log, clock, data, blobs, secrets, journal, bus, pusher, presence, events, requests, instance, fetch, invoke, validate },
    ...hostServices,
    data_dir: folder.path,
    storage: (extension) => openStorage(data, extension),
    workers: new Workers(),
    disconnect: doors.disconnect,
  };
}

function extensionsOf({ installer }: InstallationParts, platform_version: string): Extensions {
  return {
    platform_version,
    check: (file, signal) => installer.check(file, signal),
    isSigned,
    isSigningKey,
    install: (request) => installer.installPlugin(request),
    uninstall: (id, options) => installer.uninstall(id, options),
    installed: () => installer.installed(),
    skill: (id) => installer.skill(id),
  };
}

const timers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
