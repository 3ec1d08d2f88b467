import { byCodePoint } from '../../contract/sql.js';
import type { Facade } from './facade.js';
import { failData } from './failures.js';

export const max_keys = 10_000;
export const max_bytes = 16 * 1024 * 1024;
/**
 * So much is written between two looks at what there is. A look doesn't see what is just being written: that may go beyond the bounds,
 * of each instance by as much and by the calls that are under way there at once.
 */
const portion = { keys: 100, bytes: 1024 * 1024 };

/** How much room the storage of an extension has left: {@link max_keys}, and {@link max_bytes} of keys and values together. */
export class StorageRoom {
  readonly #db: Facade;
  readonly #extension: string;
  readonly #left = { keys: 0, bytes: 0 };

  constructor(db: Facade, extension: string) {
    this.#db = db;
    this.#extension = extension;
  }

  /** Takes what a value needs with its key. Fails with `storage_full`. */
  async take(key: string, value: string): Promise<void> {
    const needed = Buffer.byteLength(key) + Buffer.byteLength(value);
    if (this.#left.keys < 1 || this.#left.bytes < needed) await this.#look(key, needed);
    this.#left.keys -= 1;
    this.#left.bytes -= needed;
  }

  /** What stands under the key makes room for what comes. */
  async #look(key: string, needed: number): Promise<void> {
    // A sum of sizes, which models cannot say.
    const [row] = await this.#db.rows<{ keys: number; bytes: number | null }>(
      `SELECT count(*) AS keys, sum(octet_length(key) + octet_length(value)) AS bytes FROM kernel_storage
       WHERE extension = $1 AND key <> $2`,
      [this.#extension, key],
    );
    const [keys, bytes] = [max_keys - (row?.keys ?? 0), max_bytes - (row?.bytes ?? 0)];
    if (keys < 1) throw failData('storage_full', `The storage of '${this.#extension}' has ${max_keys} keys: remove some first`);
    if (bytes < needed)
      throw failData('storage_full', `The storage of '${this.#extension}' has ${max_bytes} bytes, keys included: remove something first`);
    this.#left.keys = Math.min(portion.keys, keys);
    this.#left.bytes = Math.min(Math.max(portion.bytes, needed), bytes);
  }
}

const max_listed = 1_000;

/** The first keys that begin with a prefix, sorted by code points on both databases: models cannot name a collation. */
export async function listKeys(db: Facade, extension: string, prefix: string): Promise<string[]> {
  const order = byCodePoint(db, 'key');
  const sql = `SELECT key FROM kernel_storage WHERE extension = $1 AND substr(key, 1, $2) = $3 ORDER BY ${order} LIMIT ${max_listed}`;
  return (await db.rows<{ key: string }>(sql, [extension, prefix.length, prefix])).map(({ key }) => key);
}
