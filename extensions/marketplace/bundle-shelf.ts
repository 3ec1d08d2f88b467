import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Blobs, type Database, isFailure, type Log } from '../../kernel/contract/index.js';
import { fail } from './codes.js';

interface Parts {
  db: Database;
  blobs: Blobs;
  log: Pick<Log, 'warn'>;
}

/** How often a ZIP is stored again where another who had stored the same has just let go of it. */
const max_attempts = 3;

/** The ZIPs of versions: each a blob, held by its version's number. */
export class BundleShelf {
  readonly #parts: Parts;
  readonly #lent = new Map<string, WeakRef<Buffer>>();
  readonly #reading = new Map<string, Promise<Buffer | undefined>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Stores a ZIP, then makes the record of it in a transaction, where it is to be held; nothing is left of it where that fails.
   * One after the other: each is in memory as a whole meanwhile.
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

  /** Those who ask for the same at once share the bytes. */
  async read(content_hash: string): Promise<Buffer | undefined> {
    const lent = this.#lent.get(content_hash)?.deref();
    if (lent) return lent;
    const reading = this.#reading.get(content_hash) ?? this.#read(content_hash);
    this.#reading.set(content_hash, reading);
    return reading;
  }

  async #read(content_hash: string): Promise<Buffer | undefined> {
    try {
      const bytes = await this.#parts.blobs.get(content_hash);
      for (const [hash, reference] of this.#lent) if (!reference.deref()) this.#lent.delete(hash);
      if (bytes) this.#lent.set(content_hash, new WeakRef(bytes));
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
          throw fail('bundle_hash_mismatch', `The ZIP has changed while it was read: it was ${content_hash}, and is ${hash}`);
        return await this.#parts.db.transaction(record);
      } catch (fault) {
        await this.#drop(hash);
        if (attempt === max_attempts || !isFailure(fault) || fault.code !== 'blob_missing') throw fault;
      }
    }
  }

  /** A blob goes with its last holder; whoever else has it keeps it. */
  async #drop(hash: string): Promise<void> {
    const { db, blobs, log } = this.#parts;
    const holder = `dropped:${randomUUID()}`;
    const held = db.transaction(async () => {
      await blobs.hold(holder, [hash]);
      await blobs.release([holder]);
    });
    await held.catch((err: unknown) => {
      if (!isFailure(err) || err.code !== 'blob_missing')
        log.warn('A ZIP that was refused could not be removed; it will be swept', { err });
    });
  }
}

function holderOf(number: number): string {
  return `version:${number}`;
}
