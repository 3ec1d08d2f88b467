import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './failures.js';
import { syncFolder } from './sync-folder.js';

/** Share of the limit to keep when trimming, so that the next write doesn't scan all files again. */
const kept_share = 0.9;

/** Blobs as files `ab/cdef…`. With a size limit, the least recently used are removed. */
export class BlobFolder {
  readonly #path: string;
  readonly #max_bytes: number;
  /** Total size at the last scan; unknown at first. */
  #scanned_bytes = Number.POSITIVE_INFINITY;
  /** Bytes written since; overwritten and deleted files count until the next scan. */
  #written_bytes = 0;
  #trimming: Promise<void> | undefined;

  constructor(path: string, max_bytes = Number.POSITIVE_INFINITY) {
    this.#path = path;
    this.#max_bytes = max_bytes;
  }

  async has(hex: string): Promise<boolean> {
    return (await ignoreMissing(stat(this.#file(hex)))) !== undefined;
  }

  async read(hex: string): Promise<Buffer | undefined> {
    const bytes = await ignoreMissing(readFile(this.#file(hex)));
    if (bytes && this.#isLimited) await ignoreMissing(utimes(this.#file(hex), new Date(), new Date()));
    return bytes;
  }

  /** Writes a file atomically and durably: to a temporary file, synced, then renamed. */
  async write(hex: string, bytes: Uint8Array): Promise<void> {
    const file = this.#file(hex);
    const draft = `${file}.${randomUUID()}.draft`;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    try {
      await writeThrough(draft, bytes);
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(dirname(file));
    this.#written_bytes += bytes.byteLength;
    if (this.#scanned_bytes + this.#written_bytes > this.#max_bytes) await this.#trim();
  }

  async delete(hex: string): Promise<void> {
    await rm(this.#file(hex), { force: true });
  }

  /** Returns all blobs. */
  async all(): Promise<string[]> {
    const names = (await ignoreMissing(readdir(this.#path, { recursive: true }))) ?? [];
    return names.map((name) => dirname(name) + basename(name)).filter((hex) => /^[0-9a-f]{64}$/.test(hex));
  }

  /** Returns the blobs last written or used before a time. Removes old temporary files on the way. */
  async *older(before_ms: number): AsyncGenerator<string> {
    for (const name of (await ignoreMissing(readdir(this.#path, { recursive: true }))) ?? []) {
      const file = join(this.#path, name);
      const stats = await ignoreMissing(stat(file));
      if (!stats?.isFile() || stats.mtimeMs >= before_ms) continue;
      if (file.endsWith('.draft')) await rm(file, { force: true });
      else yield dirname(name) + basename(name);
    }
  }

  get #isLimited(): boolean {
    return Number.isFinite(this.#max_bytes);
  }

  #file(hex: string): string {
    return join(this.#path, hex.slice(0, 2), hex.slice(2));
  }

  #trim(): Promise<void> {
    this.#trimming ??= this.#dropOldest().finally(() => {
      this.#trimming = undefined;
    });
    return this.#trimming;
  }

  async #dropOldest(): Promise<void> {
    const written_before = this.#written_bytes;
    const names = await readdir(this.#path, { recursive: true });
    const found = await Promise.all(
      names.map(async (name) => ({ file: join(this.#path, name), stats: await ignoreMissing(stat(join(this.#path, name))) })),
    );
    const files = found.flatMap(({ file, stats }) => (stats?.isFile() ? [{ file, size: stats.size, used: stats.mtimeMs }] : []));
    let total = files.reduce((sum, { size }) => sum + size, 0);
    const max = total > this.#max_bytes ? this.#max_bytes * kept_share : total;
    for (const { file, size } of files.sort((a, b) => a.used - b.used)) {
      if (total <= max) break;
      await rm(file, { force: true });
      total -= size;
    }
    this.#scanned_bytes = total;
    this.#written_bytes -= written_before;
  }
}

async function writeThrough(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}
