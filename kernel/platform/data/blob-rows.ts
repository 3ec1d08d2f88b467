import type { Clock } from '../../contract/extension.js';
import type { Facade } from './facade.js';
import { failData } from './failures.js';

/** Which blobs there are and who holds them: the tables `kernel_blobs` and `kernel_blob_holders`. */
export class BlobRows {
  readonly #db: Facade;
  readonly #clock: Clock;

  constructor(db: Facade, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Notes that a blob was put now; true where it is a new one. */
  async put(hex: string, bytes: number): Promise<boolean> {
    const now = this.#clock.iso();
    if ((await this.#db.run('UPDATE kernel_blobs SET created_at = $1 WHERE hash = $2', [now, hex])) > 0) return false;
    const sql = 'INSERT INTO kernel_blobs (hash, bytes, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    return (await this.#db.run(sql, [hex, bytes, now])) > 0;
  }

  /** Fails with `blob_missing`. Until the transaction ends nobody removes them, also not those that nobody holds. */
  async hold(extension: string, holder: string, hexes: readonly string[]): Promise<void> {
    await this.#db.transaction(async () => {
      for (const hex of [...new Set(hexes)].sort()) {
        const there = await this.#db.run('UPDATE kernel_blobs SET bytes = bytes WHERE hash = $1', [hex]);
        if (there === 0) throw failData('blob_missing', `There is no blob sha256:${hex} any more; send it again`, { retry_after: 1 });
        const sql = 'INSERT INTO kernel_blob_holders (extension, holder, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
        await this.#db.run(sql, [extension, holder, hex]);
      }
    });
  }

  /** Gives what the holder had. */
  async release(extension: string, holder: string): Promise<string[]> {
    const sql = 'DELETE FROM kernel_blob_holders WHERE extension = $1 AND holder = $2 RETURNING hash';
    return (await this.#db.rows<{ hash: string }>(sql, [extension, holder])).map(({ hash }) => hash);
  }

  /** Removes a blob that nobody holds, and that was put before a time where one is given; false where it stays. */
  drop(hex: string, before = '9999'): Promise<boolean> {
    return this.#db.transaction(async () => {
      // A statement of its own: on PostgreSQL only the next one sees a holder that this one waited for.
      const locked = await this.#db.rows('SELECT hash FROM kernel_blobs WHERE hash = $1 FOR UPDATE', [hex]);
      // What is put from here on isn't locked: who holds it meanwhile would stay unseen.
      if (locked.length === 0) return false;
      const sql = `DELETE FROM kernel_blobs WHERE hash = $1 AND created_at < $2
        AND NOT EXISTS (SELECT 1 FROM kernel_blob_holders h WHERE h.hash = kernel_blobs.hash)`;
      return (await this.#db.run(sql, [hex, before])) > 0;
    });
  }

  /** At most 500 that nobody holds and that were put before a time. */
  async unheld(before: string): Promise<string[]> {
    const sql = `SELECT b.hash FROM kernel_blobs b WHERE b.created_at < $1
      AND NOT EXISTS (SELECT 1 FROM kernel_blob_holders h WHERE h.hash = b.hash) LIMIT 500`;
    return (await this.#db.rows<{ hash: string }>(sql, [before])).map(({ hash }) => hash);
  }

  async has(hex: string): Promise<boolean> {
    return (await this.#db.rows('SELECT 1 AS here FROM kernel_blobs WHERE hash = $1', [hex])).length > 0;
  }
}
