/**
 * The parts that core is given: what it needs of the platform around it, as interfaces of its own. The platform implements them, and
 * core imports nothing of it.
 */
import type { Blobs, Database, Migration } from '../contract/data.js';
import type { Disposable, FetchAnswer, FetchOptions, Log } from '../contract/extension.js';
import type { Audience, Frame, PushOptions } from '../contract/socket.js';
import type { JobId, JobRow, Work, Worker } from '../contract/work.js';
import type { KernelModels } from './models.js';

/** The one database of an installation. */
export interface Data {
  readonly dialect: 'sqlite' | 'postgres';
  /** The part of one extension; `kernel` for the kernel's own tables. */
  facade(extension: string): Database & Disposable;
  /** Models of the kernel's own tables. */
  readonly models: KernelModels;
  /** Runs the migrations of an owner that have not run yet. Fails with `schema_newer`. */
  migrate(owner: string, migrations: readonly Migration[]): Promise<void>;
}

/** A log whose lines can carry fields of their own. */
export interface ChildLog extends Log {
  /** A log whose lines all carry these fields too. */
  child(fields: object): ChildLog;
}

/** The last lines of each extension. */
export interface LogMemory {
  /** A log that writes on and remembers. */
  remembering(extension: string, log: ChildLog): ChildLog;
}

/** Content by its hash, a part of it for each extension. */
export interface BlobParts {
  of(extension: string): Blobs;
}

/** Sends frames to sockets, wherever they are. */
export interface FramePusher {
  push(to: Audience, frame: Frame, options?: PushOptions): void;
}

/** Outgoing calls: private, loopback and link-local addresses are refused unless allowed. */
export interface GuardedFetch {
  /**
   * Calls an http or https URL. Private, loopback, link-local and this machine's own addresses are
   * refused unless allowed; a name is resolved once and the connection goes to the address that was
   * checked; each redirect is checked again. Answers of any status are given; failures are
   * `fetch_bad_url`, `fetch_address_refused`, `fetch_failed`, `fetch_timeout` and `fetch_too_large`.
   */
  (url: string, options?: FetchOptions): Promise<FetchAnswer>;
  /**
   * The same guard behind the standard's `fetch`, for client libraries: streams, no limits of its own,
   * `allow` added to what is allowed. What it refuses is the `cause` of the standard's `TypeError`.
   */
  web(allow?: readonly string[]): typeof globalThis.fetch;
  /**
   * Fails as a call would now: with `fetch_bad_url`, and with `fetch_address_refused` if the host is or resolves to an
   * address that may not be reached. A name that can't be resolved within 3 s passes: it may exist later.
   */
  check(url: string): Promise<void>;
  /** Breaks off what runs. */
  close(): Promise<void>;
}

/** The extension version that a worker belongs to, as the worker sees it. */
export interface WorkerHost {
  db: Database;
  log: Log;
  /** Names this process. */
  instance: string;
  /** False in a process that runs one command: only adopted jobs are claimed. */
  background: boolean;
  /** Aborts when the version stops. */
  signal: AbortSignal;
  /** Keeps process and version until the work is final. */
  track: (work: Promise<unknown>) => void;
}

/** Makes what performs the jobs of a table. */
export interface Workers {
  open<Row extends JobRow, Job extends { id: JobId }, Outcome>(
    extension: string,
    work: Work<Row, Job, Outcome>,
    host: WorkerHost,
  ): Worker<Job, Outcome> & Disposable & { poll(): Promise<void>; watch(): Promise<void> };
}
