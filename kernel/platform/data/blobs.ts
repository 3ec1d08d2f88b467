import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Blobs } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import type { DiskFloor } from '../files/disk-floor.js';
import { BlobFiles } from './blob-files.js';
import { BlobFolder } from './blob-folder.js';
import { BlobRows } from './blob-rows-sql.js';
import { BlobTable } from './blob-table.js';
import type { Facade } from './facade.js';
import { failData } from './failures.js';
import type { Data } from './hub.js';

export interface BlobsOptions {
  data_dir: string;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** Size of the local blob cache with PostgreSQL. Default 512 MiB. */
  cache_bytes?: number;
  /** Rejects large blobs if the disk has too little free space. Default: none is rejected. */
  floor?: Pick<DiskFloor, 'admit'>;
}

/** Storage of bytes by the hex of their SHA-256; it doesn't check the content. */
export interface BlobStorage {
  read(hex: string): Promise<Buffer | undefined>;
  put(hex: string, bytes: Uint8Array): Promise<void>;
  /** Removes a blob without holders, if it was stored before a given time; false if it stays. */
  drop(hex: string, before?: string): Promise<boolean>;
}

/** Lifetime of a blob without a holder: time between storing and holding it. */
const unheld_lifetime_ms = 3_600_000;
/** Cached blobs looked up per statement. */
const checked_at_once = 500;
/** Bytes hashed in one step. */
const portion_bytes = 2 * 1024 * 1024;

/** Opens the blob store: files with SQLite; with PostgreSQL a table that all instances share, and a local cache folder. */
export function openBlobs(data: Data, options: BlobsOptions): BlobStore {
  return new BlobStore(data, options);
}

/** Blobs of all extensions. */
export class BlobStore {
  readonly #db: Facade;
  readonly #rows: BlobRows;
  readonly #storage: BlobStorage;
  readonly #files: BlobFiles | undefined;
  /** Blob files, or the cache of the table. */
  readonly #folder: BlobFolder;
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'warn'>;
  readonly #floor: Pick<DiskFloor, 'admit'> | undefined;
  readonly #removals = new Set<Promise<unknown>>();
  /** Blobs released while removals pause. */
  readonly #postponed = new Set<string>();
  #pauses = 0;

  constructor(data: Data, { data_dir, clock, log, cache_bytes = 512 * 1024 * 1024, floor }: BlobsOptions) {
    this.#floor = floor;
    this.#db = data.facade('kernel');
    this.#clock = clock;
    this.#log = log;
    this.#rows = new BlobRows(data, clock);
    const files = data.dialect === 'sqlite';
    this.#folder = files ? new BlobFolder(join(data_dir, 'blobs')) : new BlobFolder(join(data_dir, 'blob-cache'), cache_bytes);
    this.#files = files ? new BlobFiles(this.#folder, this.#rows) : undefined;
    this.#storage = this.#files ?? new BlobTable(data, this.#rows);
  }

  /** Returns the blobs of one extension. */
  of(extension: string): Blobs {
    return {
      put: (bytes) => this.#put(bytes),
      get: (hash) => this.#get(hash),
      hold: (holder, hashes) => this.#rows.hold(extension, holder, hashes.map(hexOf)),
      release: (holders) => this.#release(extension, holders),
    };
  }

  /** Removes blobs without a holder for an hour, and orphaned files of a crashed process. Returns how many blobs. */
  async sweep(): Promise<number> {
    const before_ms = this.#clock.now() - unheld_lifetime_ms;
    const before = new Date(before_ms).toISOString();
    let removed = 0;
    for (let hexes = await this.#rows.unheld(before); hexes.length > 0 && this.#pauses === 0; hexes = await this.#rows.unheld(before)) {
      for (const hex of hexes) removed += (await this.#drop(hex, before)) ? 1 : 0;
    }
    for await (const hex of this.#folder.older(before_ms)) {
      if (this.#files) await this.#files.sweep(hex);
      else if (!(await this.#rows.has(hex))) await this.#folder.delete(hex);
    }
    return removed;
  }

  /** Removes blobs from the cache of this instance that another one has removed from the database. No effect on SQLite, where there is no cache. */
  async tidyCache(): Promise<void> {
    if (this.#files) return;
    const cached = await this.#folder.all();
    for (let start = 0; start < cached.length; start += checked_at_once) {
      const some = cached.slice(start, start + checked_at_once);
      const stored = await this.#rows.among(some);
      for (const hex of some) if (!stored.has(hex)) await this.#folder.delete(hex);
    }
  }

  /** Runs work during which this process removes no blob. Blobs released in that time are removed after it. */
  async withoutRemovals<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    try {
      await Promise.allSettled(this.#removals);
      return await work();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#dropPostponed();
    }
  }

  /** Waits for running removals. */
  async dispose(): Promise<void> {
    await Promise.allSettled(this.#removals);
  }

  async #put(bytes: Uint8Array): Promise<string> {
    assert(!this.#db.inTransaction, 'Store a blob before the transaction that holds it');
    this.#floor?.admit(bytes.byteLength);
    const hex = await digest(bytes);
    await this.#storage.put(hex, bytes);
    return `sha256:${hex}`;
  }

  async #get(hash: string): Promise<Buffer | undefined> {
    const hex = hexOf(hash);
    const cached = this.#files ? undefined : await this.#folder.read(hex);
    if (cached && (await digest(cached)) === hex) return cached;
    const bytes = await this.#storage.read(hex);
    if (bytes === undefined) return undefined;
    const found = await digest(bytes);
    if (found !== hex) throw failData('blob_corrupt', `The blob ${hash} is damaged: what is stored has the hash sha256:${found}`);
    // A full or read-only cache must not fail the read.
    if (!this.#files) await this.#folder.write(hex, bytes).catch(() => undefined);
    return bytes;
  }

  async #release(extension: string, holders: readonly string[]): Promise<void> {
    const hexes: string[] = [];
    for (const holder of holders) hexes.push(...(await this.#rows.release(extension, holder)));
    if (hexes.length > 0) this.#db.afterCommit(() => this.#dropLater([...new Set(hexes)]));
  }

  #dropPostponed(): void {
    const hexes = [...this.#postponed];
    this.#postponed.clear();
    if (hexes.length > 0) this.#dropLater(hexes);
  }

  /** Removes released blobs in the background. */
  #dropLater(hexes: readonly string[]): void {
    const dropping = async () => {
      for (const hex of hexes) await this.#drop(hex);
    };
    void this.#trackRemoval(
      dropping().catch((fault: unknown) =>
        this.#log.warn('Could not remove blobs without holders; the next sweep removes them', { err: fault }),
      ),
    );
  }

  #drop(hex: string, before?: string): Promise<boolean> {
    if (this.#pauses > 0) {
      // The sweep comes again.
      if (before === undefined) this.#postponed.add(hex);
      return Promise.resolve(false);
    }
    const drop = async () => {
      const dropped = await this.#storage.drop(hex, before);
      if (dropped && !this.#files) await this.#folder.delete(hex);
      return dropped;
    };
    return this.#trackRemoval(drop());
  }

  #trackRemoval<T>(work: Promise<T>): Promise<T> {
    this.#removals.add(work);
    const forget = () => this.#removals.delete(work);
    work.then(forget, forget);
    return work;
  }
}

/** Hashes bytes in steps, so that other work runs in between. */
async function digest(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.byteLength; at += portion_bytes) {
    if (at > 0) await turn();
    hash.update(bytes.subarray(at, at + portion_bytes));
  }
  return hash.digest('hex');
}

/** Returns the hex of a hash. Strict, because it becomes a file name. */
function hexOf(hash: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(hash)?.[1];
  if (hex === undefined) throw new Error(`A blob's hash looks like sha256:<64 hex digits>, but this one is '${hash.slice(0, 80)}'`);
  return hex;
}
