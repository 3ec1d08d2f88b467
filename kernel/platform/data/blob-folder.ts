import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './failures.js';
import { syncFolder } from './sync-folder.js';

/** Where there are too many so many of the bound stay, so that not each write from then on looks through all of them. */
const kept_part = 0.9;

/** Blobs as files `ab/cdef…`; with a bound, those used longest ago are dropped. */
export class BlobFolder {
  readonly #path: string;
  readonly #max_bytes: number;
  /** Total size of the files at the last scan; unknown at first. */
  #found_bytes = Number.POSITIVE_INFINITY;
  /** Written since; what was written over or deleted counts until the next look. */
  #more_bytes = 0;
  #trimming: Promise<void> | undefined;

  constructor(path: string, max_bytes = Number.POSITIVE_INFINITY) {
    this.#path = path;
    this.#max_bytes = max_bytes;
  }

  async has(hex: string): Promise<boolean> {
    return (await orAbsent(stat(this.#file(hex)))) !== undefined;
  }

  async read(hex: string): Promise<Buffer | undefined> {
    const bytes = await orAbsent(readFile(this.#file(hex)));
    if (bytes && this.#bounded) await orAbsent(utimes(this.#file(hex), new Date(), new Date()));
    return bytes;
  }

  /** Whole or not at all, also when the machine stops: written aside, forced to the disk, renamed. */
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
    this.#more_bytes += bytes.byteLength;
    if (this.#found_bytes + this.#more_bytes > this.#max_bytes) await this.#trim();
  }

  async delete(hex: string): Promise<void> {
    await rm(this.#file(hex), { force: true });
  }

  /** The blobs that were last written or used before a time. What was left of writing is removed on the way. */
  async *older(before_ms: number): AsyncGenerator<string> {
    for (const name of (await orAbsent(readdir(this.#path, { recursive: true }))) ?? []) {
      const file = join(this.#path, name);
      const stats = await orAbsent(stat(file));
      if (!stats?.isFile() || stats.mtimeMs >= before_ms) continue;
      if (file.endsWith('.draft')) await rm(file, { force: true });
      else yield dirname(name) + basename(name);
    }
  }

  get #bounded(): boolean {
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
    const looked_at = this.#more_bytes;
    const names = await readdir(this.#path, { recursive: true });
    const found = await Promise.all(
      names.map(async (name) => ({ file: join(this.#path, name), stats: await orAbsent(stat(join(this.#path, name))) })),
    );
    const files = found.flatMap(({ file, stats }) => (stats?.isFile() ? [{ file, size: stats.size, used: stats.mtimeMs }] : []));
    let total = files.reduce((sum, { size }) => sum + size, 0);
    const max = total > this.#max_bytes ? this.#max_bytes * kept_part : total;
    for (const { file, size } of files.sort((a, b) => a.used - b.used)) {
      if (total <= max) break;
      await rm(file, { force: true });
      total -= size;
    }
    this.#found_bytes = total;
    this.#more_bytes -= looked_at;
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

function orAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}
