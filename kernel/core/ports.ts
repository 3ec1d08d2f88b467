/**
 * Interfaces of what core needs from the platform around it. `kernel/platform` implements them; core imports nothing of it.
 */
import type { Blobs, Database, Migration } from '../contract/data.js';
import type { Disposable, FetchAnswer, FetchOptions, Log } from '../contract/extension.js';
import type { Audience, Frame, PushOptions } from '../contract/socket.js';
import type { JobId, JobRow, Work, Worker } from '../contract/work.js';
import type { KernelModels } from './models.js';

/** Database of the installation. */
export interface Data {
  readonly dialect: 'sqlite' | 'postgres';
  /** Returns the access of one extension; `kernel` for the kernel's own tables. */
  facade(extension: string): Database & Disposable;
  /** Models of the kernel's own tables. */
  readonly models: KernelModels;
  /** Runs the migrations of an owner that have not run yet. Fails with `schema_newer`. */
  migrate(owner: string, migrations: readonly Migration[]): Promise<void>;
}

/** Log that can create child logs. */
export interface ChildLog extends Log {
  /** Returns a log that adds these fields to each line. */
  child(fields: object): ChildLog;
}

/** Memory of the last log lines of each extension. */
export interface LogMemory {
  /** Returns a log that also remembers its lines. */
  remembering(extension: string, log: ChildLog): ChildLog;
}

/** Blob store with a separate view for each extension. */
export interface BlobParts {
  of(extension: string): Blobs;
}

/** Sends frames to sockets on any instance. */
export interface FramePusher {
  push(to: Audience, frame: Frame, options?: PushOptions): void;
}

/** Outgoing HTTP calls. Private, loopback and link-local addresses are refused unless allowed. */
export interface GuardedFetch {
  /**
   * Calls an http or https URL. Private, loopback, link-local and this machine's own addresses are refused unless allowed. A name is
   * resolved once, and the connection goes to the checked address; each redirect is checked again. Returns answers of any status.
   * Fails with `fetch_bad_url`, `fetch_address_refused`, `fetch_failed`, `fetch_timeout` or `fetch_too_large`.
   */
  (url: string, options?: FetchOptions): Promise<FetchAnswer>;
  /**
   * Returns a standard `fetch` with the same guard, for client libraries: it streams, has no limits of its own and adds `allow` to the
   * allowed addresses. A refusal is the `cause` of the standard `TypeError`.
   */
  web(allow?: readonly string[]): typeof globalThis.fetch;
  /**
   * Checks a URL without calling it. Fails with `fetch_bad_url`, or with `fetch_address_refused` if the host is or resolves to a
   * refused address. A name that can't be resolved within 3 s passes, because it may exist later.
   */
  check(url: string): Promise<void>;
  /** Aborts running calls. */
  close(): Promise<void>;
}

/** Parts of its extension version that a worker uses. */
export interface WorkerHost {
  db: Database;
  log: Log;
  /** Id of this process. */
  instance: string;
  /** False in a process that runs a single command: it claims only adopted jobs. */
  background: boolean;
  /** Aborts when the version stops. */
  signal: AbortSignal;
  /** Keeps the process and the version alive until the work has ended. */
  track: (work: Promise<unknown>) => void;
}

/** Creates workers for the jobs of a table. */
export interface Workers {
  open<Row extends JobRow, Job extends { id: JobId }, Outcome>(
    extension: string,
    work: Work<Row, Job, Outcome>,
    host: WorkerHost,
  ): Worker<Job, Outcome> & Disposable & { poll(): Promise<void>; watch(): Promise<void> };
}
