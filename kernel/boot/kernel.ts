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
  /** Whether HTTP is served. */
  listen: boolean;
  /** Whether repeated work, listeners and waiting tasks run; false in a process that only runs one command. */
  background: boolean;
  /** Folders of extensions to load. Default: the platform's own. */
  extensions?: readonly string[];
  /** Holds operations to what they declare. For tests. */
  strict?: boolean;
  /** Where each setting comes from, for `config.get`. Default: `unknown` for each. */
  sources?: SettingSources;
  /** Where log lines go. Default: standard error. */
  log?: { write(line: string): void };
  clock?: { now(): number };
  /** By what plugins whose process was lost wait. For tests. */
  timers?: Timers;
  /** Told of each step of an installation, and waited for. For tests. */
  installing?: (step: Step) => void | Promise<void>;
}

/** A platform that runs. */
export interface Kernel {
  /** The address that it listens on; undefined where it doesn't. */
  readonly url: string | undefined;
  readonly instance: string;
  readonly log: ChildLog;
  readonly host: Host;
  readonly installer: Installer;
  /** What holds plugins in processes of their own. */
  readonly walls: Containment;
  /** What tests of extensions take into their own hands. */
  readonly workbench: Workbench;
  /** Runs an operation of what is loaded now. */
  invoke(operation: string, input: unknown, caller: Caller, options?: InvokeOptions): Promise<Outcome>;
  /** The installation's own administrator, for who has the data folder. */
  localCaller(door: Door): Promise<Caller>;
  /** Who a token belongs to. */
  tokenCaller(token: string, door: Door): Promise<Caller>;
  operations(): Record<string, OperationData>;
  /** A connection to `/ws` of a kernel that doesn't listen, for this process: as the installation's own administrator. */
  openSocket(): Promise<Duplex>;
  /** Waits until the work that was begun here is final. */
  settled(): Promise<void>;
  /** Ends everything: requests first, then the extensions' work, then streams. Within 10 s. */
  close(): Promise<void>;
}

/** What otherwise happens through extensions alone. */
export interface Workbench {
  /** Installs the ZIP of a third party, with all the permissions that it asks for. */
  install(zip: Uint8Array): Promise<void>;
  /** Emits an event, of whichever extension. */
  emit(topic: string, payload: object): Promise<void>;
  /** What an extension has stored. */
  storage(extension: string): Storage;
}
