import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Blobs } from '../contract/data.js';
import type { Clock } from '../contract/extension.js';
import { BlobFolder } from './blob-folder.js';
import { BlobTable } from './blob-table.js';
import { failData } from './failures.js';
import type { Data } from './hub.js';

export interface BlobsOptions {
  data_dir: string;
  clock: Clock;
  /** How many bytes of the database's blobs are kept in the folder, on PostgreSQL. Default 512 MiB. */
  cache_bytes?: number;
}

/** Where bytes lie by the hex of their SHA-256; knows nothing of what they should be. */
export interface BlobPlace {
  has(hex: string): Promise<boolean>;
  read(hex: string): Promise<Buffer | undefined>;
  write(hex: string, bytes: Uint8Array): Promise<void>;
  delete(hex: string): Promise<void>;
}

/** A folder with SQLite; with PostgreSQL a table that all instances see, and a folder that holds what was used last. */
export function openBlobs(data: Data, { data_dir, clock, cache_bytes = 512 * 1024 * 1024 }: BlobsOptions): Blobs {
  if (data.dialect === 'sqlite') return new CheckedBlobs(new BlobFolder(join(data_dir, 'blobs')), undefined);
  const cache = new BlobFolder(join(data_dir, 'blob-cache'), cache_bytes);
  return new CheckedBlobs(new BlobTable(data, clock), cache);
}

class CheckedBlobs implements Blobs {
  readonly #place: BlobPlace;
  readonly #cache: BlobPlace | undefined;

  constructor(place: BlobPlace, cache: BlobPlace | undefined) {
    this.#place = place;
    this.#cache = cache;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const hex = digest(bytes);
    if (!(await this.#place.has(hex))) await this.#place.write(hex, bytes);
    return `sha256:${hex}`;
  }

  async get(hash: string): Promise<Buffer | undefined> {
    const hex = hexOf(hash);
    const cached = await this.#cache?.read(hex);
    if (cached && digest(cached) === hex) return cached;
    const bytes = await this.#place.read(hex);
    if (bytes === undefined) return undefined;
    const found = digest(bytes);
    if (found !== hex) throw failData('blob_corrupt', `The blob ${hash} is damaged: what is stored has the hash sha256:${found}`);
    // A full or read-only cache must not cost the answer.
    await this.#cache?.write(hex, bytes).catch(() => undefined);
    return bytes;
  }

  async delete(hash: string): Promise<void> {
    const hex = hexOf(hash);
    await this.#place.delete(hex);
    await this.#cache?.delete(hex);
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A hash becomes a file's name: anything else is refused. */
function hexOf(hash: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(hash)?.[1];
  if (hex === undefined) throw new Error(`A blob's hash looks like sha256:<64 hex digits>, but this one is '${hash.slice(0, 80)}'`);
  return hex;
}
