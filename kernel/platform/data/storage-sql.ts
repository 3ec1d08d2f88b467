import { Op } from '../../contract/models.js';
import { byCodePoint } from '../../contract/sql.js';
import type { KernelModels } from '../../core/models.js';
import type { Facade } from './facade.js';
import { failData } from './failures.js';

export const max_keys = 10_000;
export const max_bytes = 16 * 1024 * 1024;
/**
 * Amount written between two measurements. A measurement misses running writes, so each instance may exceed the limits by this amount and
 * its concurrent calls.
 */
const portion = { keys: 100, bytes: 1024 * 1024 };

/** Tracks the free space in the storage of an extension: {@link max_keys}, and {@link max_bytes} of keys and values together. */
export class StorageQuota {
  readonly #db: Facade;
  readonly #model: KernelModels['storage'];
  readonly #extension: string;
  readonly #left = { keys: 0, bytes: 0 };

  constructor(db: Facade, model: KernelModels['storage'], extension: string) {
    this.#db = db;
    this.#model = model;
    this.#extension = extension;
  }

  /** Reserves space for a key and its value. Fails with `storage_full`. */
  async reserve(key: string, value: string): Promise<void> {
    const needed = Buffer.byteLength(key) + Buffer.byteLength(value);
    if (this.#left.keys < 1 || this.#left.bytes < needed) await this.#measure(key, needed);
    this.#left.keys -= 1;
    this.#left.bytes -= needed;
  }

  /** Measures the storage, except the given key, whose value is replaced. */
  async #measure(key: string, needed: number): Promise<void> {
    const { fn, col } = this.#db.expressions;
    const bytesOf = (column: string) => fn('coalesce', fn('sum', fn('octet_length', col(column))), 0);
    const used = (await this.#model.findOne({
      attributes: [
        [fn('count', col('key')), 'keys'],
        [bytesOf('key'), 'of_keys'],
        [bytesOf('value'), 'of_values'],
      ],
      where: { extension: this.#extension, key: { [Op.ne]: key } },
      raw: true,
    })) as unknown as Readonly<Record<'keys' | 'of_keys' | 'of_values', number | string>>;
    const [keys, bytes] = [max_keys - Number(used.keys), max_bytes - Number(used.of_keys) - Number(used.of_values)];
    if (keys < 1) throw failData('storage_full', `The storage of '${this.#extension}' has ${max_keys} keys, the limit; remove some first`);
    if (bytes < needed)
      throw failData(
        'storage_full',
        `The storage of '${this.#extension}' has reached its limit of ${max_bytes} bytes; remove something first`,
      );
    this.#left.keys = Math.min(portion.keys, keys);
    this.#left.bytes = Math.min(Math.max(portion.bytes, needed), bytes);
  }
}

const max_listed = 1_000;

/** Returns the first 1,000 keys with a prefix, sorted by code points on both databases. Plain SQL, because models can't name a collation. */
export async function listKeys(db: Facade, extension: string, prefix: string): Promise<string[]> {
  const order = byCodePoint(db, 'key');
  const sql = `SELECT key FROM kernel_storage WHERE extension = $1 AND substr(key, 1, $2) = $3 ORDER BY ${order} LIMIT ${max_listed}`;
  return (await db.rows<{ key: string }>(sql, [extension, prefix.length, prefix])).map(({ key }) => key);
}
