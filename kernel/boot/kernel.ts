import type { Duplex } from 'node:stream';
import type { SettingSources } from '../../config/load.js';
import type { InvokeOptions, Outcome, Storage } from '../contract/extension.js';
import type { OperationData } from '../contract/manifest.js';
import type { Caller, Door } from '../contract/operation.js';
import type { Host } from '../core/host/host.js';
import type { Installer } from '../core/plugins/installer.js';
import type { Step } from '../core/plugins/plugins.js';
import type { ChildLog } from '../core/ports.js';
import type { Containment } from '../platform/sandbox/walls/containment.js';
import type { Timers } from './plugins.js';

export interface BootOptions {
  /** Whether to serve HTTP. */
  listen: boolean;
  /** Whether periodic work, listeners and queued tasks run; false in a process that runs only one command. */
  background: boolean;
  /** Folders of extensions to load. Default: the built-in ones. */
  extensions?: readonly string[];
  /** Verifies that operations behave as declared. For tests. */
  strict?: boolean;
  /** Source of each setting, for `config.get`. Default: `unknown`. */
  sources?: SettingSources;
  /** Destination of log lines. Default: standard error. */
  log?: { write(line: string): void };
  clock?: { now(): number };
  /** Timers for the restarts of crashed plugins. For tests. */
  timers?: Timers;
  /** Called and awaited at each step of an installation. For tests. */
  installing?: (step: Step) => void | Promise<void>;
}

/** A running platform. */
export interface Kernel {
  /** Address that it listens on; undefined if it doesn't. */
  readonly url: string | undefined;
  readonly instance: string;
  readonly log: ChildLog;
  readonly host: Host;
  readonly installer: Installer;
  /** Isolates plugins in separate processes. */
  readonly walls: Containment;
  /** Direct access for tests of extensions. */
  readonly workbench: Workbench;
  /** Runs a loaded operation. */
  invoke(operation: string, input: unknown, caller: Caller, options?: InvokeOptions): Promise<Outcome>;
  /** Returns the installation's administrator, for callers that have the data folder. */
  localCaller(door: Door): Promise<Caller>;
  /** Returns the caller of a token. */
  tokenCaller(token: string, door: Door): Promise<Caller>;
  operations(): Record<string, OperationData>;
  /** Opens an in-process connection to `/ws` of a kernel that doesn't listen, as the installation's administrator. */
  openSocket(): Promise<Duplex>;
  /** Waits until all work started here is finished. */
  settled(): Promise<void>;
  /** Shuts down: requests first, then the extensions' work, then streams. Takes at most 10 s. */
  close(): Promise<void>;
}

/** Actions that otherwise only extensions perform. */
export interface Workbench {
  /** Installs a third-party ZIP with all permissions that it requests. */
  install(zip: Uint8Array): Promise<void>;
  /** Emits an event of any extension. */
  emit(topic: string, payload: object): Promise<void>;
  /** Returns an extension's storage. */
  storage(extension: string): Storage;
}
