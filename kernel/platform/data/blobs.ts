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
  /** How many bytes of the database's blobs are kept in the folder, on PostgreSQL. Default 512 MiB. */
  cache_bytes?: number;
  /** Refuses large blobs while the disk has too little space. Default: none is refused. */
  floor?: Pick<DiskFloor, 'admit'>;
}

/** Where bytes lie by the hex of their SHA-256; knows nothing of what they should be. */
export interface BlobPlace {
  read(hex: string): Promise<Buffer | undefined>;
  put(hex: string, bytes: Uint8Array): Promise<void>;
  /** Removes what nobody holds, and what was put before a time where one is given; false where it stays. */
  drop(hex: string, before?: string): Promise<boolean>;
}

/** So long may a blob be without a holder: whoever stores it needs that time until it is held. */
const unheld_ms = 3_600_000;
/** So much is hashed at a time. */
const portion_bytes = 2 * 1024 * 1024;

/** A folder with SQLite; with PostgreSQL a table that all instances see, and a folder that holds what was used last. */
export function openBlobs(data: Data, options: BlobsOptions): BlobStore {
  return new BlobStore(data, options);
}

/** The blobs of all extensions. */
export class BlobStore {
  readonly #db: Facade;
  readonly #rows: BlobRows;
  readonly #place: BlobPlace;
  readonly #files: BlobFiles | undefined;
  /** Blobs in files, and the cached ones of the table. */
  readonly #folder: BlobFolder;
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'warn'>;
  readonly #floor: Pick<DiskFloor, 'admit'> | undefined;
  readonly #dropping = new Set<Promise<unknown>>();
  #keepers = 0;

  constructor(data: Data, { data_dir, clock, log, cache_bytes = 512 * 1024 * 1024, floor }: BlobsOptions) {
    this.#floor = floor;
    this.#db = data.facade('kernel');
    this.#clock = clock;
    this.#log = log;
    this.#rows = new BlobRows(data, clock);
    const files = data.dialect === 'sqlite';
    this.#folder = files ? new BlobFolder(join(data_dir, 'blobs')) : new BlobFolder(join(data_dir, 'blob-cache'), cache_bytes);
    this.#files = files ? new BlobFiles(this.#folder, this.#rows) : undefined;
    this.#place = this.#files ?? new BlobTable(data, this.#rows);
  }

  /** The blobs of one extension. */
  of(extension: string): Blobs {
    return {
      put: (bytes) => this.#put(bytes),
      get: (hash) => this.#get(hash),
      hold: (holder, hashes) => this.#rows.hold(extension, holder, hashes.map(hexOf)),
      release: (holders) => this.#release(extension, holders),
    };
  }

  /** Removes what nobody has held for an hour, and files without a row: what a process left that ended in between. Gives how many. */
  async sweep(): Promise<number> {
    const before_ms = this.#clock.now() - unheld_ms;
    const before = new Date(before_ms).toISOString();
    let removed = 0;
    for (let hexes = await this.#rows.unheld(before); hexes.length > 0 && this.#keepers === 0; hexes = await this.#rows.unheld(before)) {
      for (const hex of hexes) removed += (await this.#drop(hex, before)) ? 1 : 0;
    }
    for await (const hex of this.#folder.older(before_ms)) {
      if (this.#files) await this.#files.sweep(hex);
      else if (!(await this.#rows.has(hex))) await this.#folder.delete(hex);
    }
    return removed;
  }

  /** While the work runs, this process removes no blob: what the work finds stays there. What is let go meanwhile is swept later. */
  async keeping<T>(work: () => Promise<T>): Promise<T> {
    this.#keepers += 1;
    try {
      await Promise.allSettled(this.#dropping);
      return await work();
    } finally {
      this.#keepers -= 1;
    }
  }

  /** Waits for removals under way. */
  async dispose(): Promise<void> {
    await Promise.allSettled(this.#dropping);
  }

  async #put(bytes: Uint8Array): Promise<string> {
    assert(!this.#db.inTransaction, 'A blob is stored before the transaction that holds it');
    this.#floor?.admit(bytes.byteLength);
    const hex = await digest(bytes);
    await this.#place.put(hex, bytes);
    return `sha256:${hex}`;
  }

  async #get(hash: string): Promise<Buffer | undefined> {
    const hex = hexOf(hash);
    const cached = this.#files ? undefined : await this.#folder.read(hex);
    if (cached && (await digest(cached)) === hex) return cached;
    const bytes = await this.#place.read(hex);
    if (bytes === undefined) return undefined;
    const found = await digest(bytes);
    if (found !== hex) throw failData('blob_corrupt', `The blob ${hash} is damaged: what is stored has the hash sha256:${found}`);
    // A full or read-only cache must not cost the answer.
    if (!this.#files) await this.#folder.write(hex, bytes).catch(() => undefined);
    return bytes;
  }

  async #release(extension: string, holders: readonly string[]): Promise<void> {
    const hexes: string[] = [];
    for (const holder of holders) hexes.push(...(await this.#rows.release(extension, holder)));
    if (hexes.length > 0) this.#db.afterCommit(() => this.#dropLater([...new Set(hexes)]));
  }

  #dropLater(hexes: readonly string[]): void {
    const dropping = async () => {
      for (const hex of hexes) await this.#drop(hex);
    };
    void this.#underWay(
      dropping().catch((fault: unknown) =>
        this.#log.warn('Blobs that nobody holds could not be removed; they will be swept', { err: fault }),
      ),
    );
  }

  #drop(hex: string, before?: string): Promise<boolean> {
    if (this.#keepers > 0) return Promise.resolve(false);
    const drop = async () => {
      const dropped = await this.#place.drop(hex, before);
      if (dropped && !this.#files) await this.#folder.delete(hex);
      return dropped;
    };
    return this.#underWay(drop());
  }

  #underWay<T>(work: Promise<T>): Promise<T> {
    this.#dropping.add(work);
    const forget = () => this.#dropping.delete(work);
    work.then(forget, forget);
    return work;
  }
}

/** Hashes many bytes in portions, so that other work runs in between. */
async function digest(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.byteLength; at += portion_bytes) {
    if (at > 0) await turn();
    hash.update(bytes.subarray(at, at + portion_bytes));
  }
  return hash.digest('hex');
}

/** A hash becomes a file's name: anything else is refused. */
function hexOf(hash: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(hash)?.[1];
  if (hex === undefined) throw new Error(`A blob's hash looks like sha256:<64 hex digits>, but this one is '${hash.slice(0, 80)}'`);
  return hex;
}
