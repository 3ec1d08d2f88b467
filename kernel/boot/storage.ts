import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../config/schema.js';
import type { Secrets } from '../contract/data.js';
import type { Clock } from '../contract/extension.js';
import type { Disposables } from '../core/host/disposables.js';
import { Requests } from '../core/invoke/request.js';
import type { ChildLog } from '../core/ports.js';
import { type Address, foldersOf, parseAddress } from '../platform/data/address.js';
import { type BlobStore, openBlobs } from '../platform/data/blobs.js';
import { claimFile } from '../platform/data/claim-file.js';
import { type Folder, openFolder } from '../platform/data/folder.js';
import { type Data, openData } from '../platform/data/hub.js';
import { openSecrets, proveKey } from '../platform/data/secrets.js';
import { DiskFloor } from '../platform/files/disk-floor.js';
import { createLog } from '../platform/log/log.js';
import { openTracing } from '../platform/tracing/open.js';
import { type Traced, traced } from '../platform/tracing/traced.js';
import { openTransport, type Transport } from '../platform/transport/transport.js';
import type { BootOptions } from './kernel.js';

/** The first phase: identity of this process, storage and transport. */
export interface StorageParts {
  /** Version of this program. */
  version: string;
  /** Id of this process; `instance_name` is its name in responses. */
  instance: string;
  instance_name: string;
  clock: Clock;
  started_ms: number;
  requests: Requests;
  log: ChildLog;
  /** Called with each log line. */
  log_listeners: Set<(line: string) => void>;
  trace: Traced;
  address: Address;
  folder: Folder;
  floor: DiskFloor;
  transport: Transport;
  data: Data;
  secrets: Secrets;
  blobs: BlobStore;
}

/** Opens the data folder, the database, and the transport between instances. */
export async function openStorageParts(config: Config, options: BootOptions, resources: Disposables): Promise<StorageParts> {
  const clock = clockOf(options.clock ?? { now: () => Date.now() });
  const started_ms = clock.now();
  const version = platformVersion();
  const instance = randomUUID();
  const instance_name = config.instance_name || instance;
  const requests = new Requests();
  const log_listeners = new Set<(line: string) => void>();
  const destination = options.log ? { destination: options.log } : {};
  const logging = { level: config.log_level, requests, listeners: log_listeners, ...destination };
  const tracing = await openTracing({ env: process.env, version, instance: instance_name, log: createLog(logging) });
  const log = createLog(tracing ? { ...logging, trace: () => tracing.ids() } : logging);
  const trace = traced(tracing, config.database_url);
  resources.own({ dispose: () => tracing?.close() });
  // SQLite has one user, so the folder is locked; with PostgreSQL instances may share it.
  const address = parseAddress(config.database_url, config.data_dir);
  const folder = resources.own(await openFolder({ path: config.data_dir, lock: address.dialect === 'sqlite' }));
  if (address.dialect === 'sqlite') resources.own(await claimFile(address.file));
  const floor = new DiskFloor({ folders: foldersOf(address, folder.path), min_free_bytes: config.min_free_bytes });
  const transport = await openTransport({ url: config.bus_url, clock, log });
  resources.own({ dispose: () => transport.close() });
  const data = await openData({
    url: config.database_url,
    data_dir: folder.path,
    instance,
    serves: options.listen || options.background,
    clock,
    log,
    watch: trace.statements,
    isAwaited: () => requests.isAwaited,
  });
  resources.own({ dispose: () => data.close() });
  const secrets = await openSecrets({ key: config.secret_key, data_dir: folder.path });
  await proveKey(data, secrets);
  const blobs = resources.own(openBlobs(data, { data_dir: folder.path, clock, log, floor }));
  const names = { version, instance, instance_name };
  const places = { address, folder, floor, transport, data, secrets, blobs };
  return { ...names, clock, started_ms, requests, log, log_listeners, trace, ...places };
}

function platformVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Creates the clock of extensions from a source of milliseconds since 1970. */
export function clockOf(source: { now(): number }): Clock {
  return { now: () => source.now(), iso: () => new Date(source.now()).toISOString() };
}
