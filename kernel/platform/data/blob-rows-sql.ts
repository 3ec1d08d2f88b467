import type { Clock } from '../../contract/extension.js';
import { failData } from './failures.js';
import type { Data } from './hub.js';

/** Access to the tables `kernel_blobs` and `kernel_blob_holders`. */
export class BlobRows {
  readonly #data: Pick<Data, 'facade' | 'models'>;
  readonly #clock: Clock;

  constructor(data: Pick<Data, 'facade' | 'models'>, clock: Clock) {
    this.#data = data;
    this.#clock = clock;
  }

  /** Records that a blob was stored now; true if it is new. */
  async put(hex: string, bytes: number): Promise<boolean> {
    const now = this.#clock.iso();
    const [updated] = await this.#blobs.update({ created_at: now }, { where: { hash: hex } });
    if (updated > 0) return false;
    // Plain SQL: of concurrent calls exactly one inserts the row, which `bulkCreate` with `ignoreDuplicates` doesn't report.
    const sql = 'INSERT INTO kernel_blobs (hash, bytes, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    return (await this.#db.run(sql, [hex, bytes, now])) > 0;
  }

  /** Adds holders. The blobs are locked against removal until the transaction ends. Fails with `blob_missing`. */
  async hold(extension: string, holder: string, hexes: readonly string[]): Promise<void> {
    await this.#db.transaction(async () => {
      const hashes = [...new Set(hexes)].sort();
      for (const hex of hashes)
        if (!(await this.#lock(hex)))
          throw failData('blob_missing', `The blob sha256:${hex} no longer exists; send it again`, { retry_after: 1 });
      const rows = hashes.map((hash) => ({ extension, holder, hash }));
      await this.#data.models.blob_holders.bulkCreate(rows, { ignoreDuplicates: true });
    });
  }

  /** Removes a holder; returns the blobs it held. */
  async release(extension: string, holder: string): Promise<string[]> {
    // RETURNING, so that exactly the removed rows are returned.
    const sql = 'DELETE FROM kernel_blob_holders WHERE extension = $1 AND holder = $2 RETURNING hash';
    return (await this.#db.rows<{ hash: string }>(sql, [extension, holder])).map(({ hash }) => hash);
  }

  /** Removes a blob without holders, if it was stored before a given time; false if it stays. */
  drop(hex: string, before = '9999'): Promise<boolean> {
    return this.#db.transaction(async () => {
      // The lock makes concurrent holders wait, so that none is missed.
      const blob = await this.#lock(hex);
      if (!blob || blob.created_at >= before) return false;
      // A separate statement, because on PostgreSQL only the next one sees a holder that the lock waited for.
      if (await this.#data.models.blob_holders.findOne({ where: { hash: hex }, raw: true })) return false;
      return (await this.#blobs.destroy({ where: { hash: hex } })) > 0;
    });
  }

  /** Returns at most 500 blobs without holders that were stored before a time. */
  async unheld(before: string): Promise<string[]> {
    // Models lack NOT EXISTS and would read all blobs.
    const sql = `SELECT b.hash FROM kernel_blobs b WHERE b.created_at < $1
      AND NOT EXISTS (SELECT 1 FROM kernel_blob_holders h WHERE h.hash = b.hash) LIMIT 500`;
    return (await this.#db.rows<{ hash: string }>(sql, [before])).map(({ hash }) => hash);
  }

  async has(hex: string): Promise<boolean> {
    return (await this.#blobs.count({ where: { hash: hex } })) > 0;
  }

  /** Returns those of the blobs that are stored. */
  async among(hexes: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#blobs.findAll({ attributes: ['hash'], where: { hash: [...hexes] }, raw: true });
    return new Set(rows.map(({ hash }) => hash));
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
