import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Blobs, type Database, isFailure, type Log } from '../../kernel/contract/index.js';
import { fail } from './codes.js';

interface Parts {
  db: Database;
  blobs: Blobs;
  log: Pick<Log, 'warn'>;
}

/** Attempts to store a ZIP if another holder of the same blob has just released it. */
const max_attempts = 3;

/** Stores the ZIPs of versions: each is a blob, held by its version's number. */
export class BundleStore {
  readonly #parts: Parts;
  readonly #openFiles = new Map<string, WeakRef<Buffer>>();
  readonly #reading = new Map<string, Promise<Buffer | undefined>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Stores a ZIP, then runs `record` in a transaction, which must hold it; if that fails, nothing is left. Serialised,
   * because each ZIP is in memory as a whole.
   */
  store<T>(file: string, content_hash: string, record: () => Promise<T>): Promise<T> {
    const stored = this.#last.then(() => this.#store(file, content_hash, record));
    this.#last = stored.catch(() => undefined);
    return stored;
  }

  async hold(number: number, content_hash: string): Promise<void> {
    await this.#parts.blobs.hold(holderOf(number), [content_hash]);
  }

  async release(number: number): Promise<void> {
    await this.#parts.blobs.release([holderOf(number)]);
  }

  /** Reads a ZIP. Concurrent readers of the same ZIP share the bytes. */
  async read(content_hash: string): Promise<Buffer | undefined> {
    const withFile = this.#openFiles.get(content_hash)?.deref();
    if (withFile) return withFile;
    const reading = this.#reading.get(content_hash) ?? this.#read(content_hash);
    this.#reading.set(content_hash, reading);
    return reading;
  }

  async #read(content_hash: string): Promise<Buffer | undefined> {
    try {
      const bytes = await this.#parts.blobs.get(content_hash);
      for (const [hash, reference] of this.#openFiles) if (!reference.deref()) this.#openFiles.delete(hash);
      if (bytes) this.#openFiles.set(content_hash, new WeakRef(bytes));
      return bytes;
    } finally {
      this.#reading.delete(content_hash);
    }
  }

  async #store<T>(file: string, content_hash: string, record: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const hash = await this.#parts.blobs.put(await readFile(file));
      try {
        if (hash !== content_hash)
          throw fail('bundle_hash_mismatch', `The ZIP changed while it was read: expected ${content_hash}, found ${hash}`);
        return await this.#parts.db.transaction(record);
      } catch (fault) {
        await this.#drop(hash);
        if (attempt === max_attempts || !isFailure(fault) || fault.code !== 'blob_missing') throw fault;
      }
    }
  }

  /** Drops a blob unless it has other holders. */
  async #drop(hash: string): Promise<void> {
    const { db, blobs, log } = this.#parts;
    const holder = `dropped:${randomUUID()}`;
    const held = db.transaction(async () => {
      await blobs.hold(holder, [hash]);
      await blobs.release([holder]);
    });
    await held.catch((err: unknown) => {
      if (!isFailure(err) || err.code !== 'blob_missing') log.warn('Could not remove a rejected ZIP; cleanup will remove it', { err });
    });
  }
}

function holderOf(number: number): string {
  return `version:${number}`;
}
