import type { Clock } from '../../contract/extension.js';
import { failData } from './failures.js';
import type { Data } from './hub.js';

/** Blobs and their holders: the tables `kernel_blobs` and `kernel_blob_holders`. */
export class BlobRows {
  readonly #data: Pick<Data, 'facade' | 'models'>;
  readonly #clock: Clock;

  constructor(data: Pick<Data, 'facade' | 'models'>, clock: Clock) {
    this.#data = data;
    this.#clock = clock;
  }

  /** Notes that a blob was put now; true where it is a new one. */
  async put(hex: string, bytes: number): Promise<boolean> {
    const now = this.#clock.iso();
    const [there] = await this.#blobs.update({ created_at: now }, { where: { hash: hex } });
    if (there > 0) return false;
    // A claim: one of those that put the same blob writes its row, which `bulkCreate` with `ignoreDuplicates` does not tell.
    const sql = 'INSERT INTO kernel_blobs (hash, bytes, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    return (await this.#db.run(sql, [hex, bytes, now])) > 0;
  }

  /** Fails with `blob_missing`. Until the transaction ends nobody removes them, also not those that nobody holds. */
  async hold(extension: string, holder: string, hexes: readonly string[]): Promise<void> {
    await this.#db.transaction(async () => {
      const hashes = [...new Set(hexes)].sort();
      for (const hex of hashes)
        if (!(await this.#lock(hex)))
          throw failData('blob_missing', `There is no blob sha256:${hex} any more; send it again`, { retry_after: 1 });
      const rows = hashes.map((hash) => ({ extension, holder, hash }));
      await this.#data.models.blob_holders.bulkCreate(rows, { ignoreDuplicates: true });
    });
  }

  /** Gives what the holder had. */
  async release(extension: string, holder: string): Promise<string[]> {
    // RETURNING, so that what is removed and what is given are the same.
    const sql = 'DELETE FROM kernel_blob_holders WHERE extension = $1 AND holder = $2 RETURNING hash';
    return (await this.#db.rows<{ hash: string }>(sql, [extension, holder])).map(({ hash }) => hash);
  }

  /** Removes a blob that nobody holds, and that was put before a time where one is given; false where it stays. */
  drop(hex: string, before = '9999'): Promise<boolean> {
    return this.#db.transaction(async () => {
      // Blobs that are put from here on are not locked, so a holder that appears meanwhile would be missed.
      const blob = await this.#lock(hex);
      if (!blob || blob.created_at >= before) return false;
      // A statement of its own: on PostgreSQL only the next one sees a holder that the lock waited for.
      if (await this.#data.models.blob_holders.findOne({ where: { hash: hex }, raw: true })) return false;
      return (await this.#blobs.destroy({ where: { hash: hex } })) > 0;
    });
  }

  /** At most 500 that nobody holds and that were put before a time. */
  async unheld(before: string): Promise<string[]> {
    // NOT EXISTS, which models do not have: they would read all blobs to find the few.
    const sql = `SELECT b.hash FROM kernel_blobs b WHERE b.created_at < $1
      AND NOT EXISTS (SELECT 1 FROM kernel_blob_holders h WHERE h.hash = b.hash) LIMIT 500`;
    return (await this.#db.rows<{ hash: string }>(sql, [before])).map(({ hash }) => hash);
  }

  async has(hex: string): Promise<boolean> {
    return (await this.#blobs.count({ where: { hash: hex } })) > 0;
  }

  #lock(hex: string) {
    return this.#blobs.findOne({ attributes: ['created_at'], where: { hash: hex }, lock: true, raw: true });
  }

  get #db() {
    return this.#data.facade('kernel');
  }

  get #blobs() {
    return this.#data.models.blobs;
  }
}
