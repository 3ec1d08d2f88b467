import { type Database, Op } from '../../../kernel/contract/index.js';
import type { Models, UploadRow, UsageRow } from '../models.js';

/** Images that a member has uploaded for a message. */
export type Upload = Omit<UploadRow, 'created_at'>;

/** Bytes by member id. */
export type BytesOfMembers = ReadonlyMap<number, number>;

type UsageModels = Pick<Models, 'usage' | 'uploads' | 'messages'>;

/**
 * Stores the bytes of each member's texts and images (`chat_usage`), and which of the images no message has yet (`chat_uploads`).
 * Transactions must write here last, and to uploads before usage, because the lock on the member's row blocks its other requests.
 */
export class UsageRows {
  readonly #db: Database;
  readonly #models: UsageModels;

  constructor(db: Database, models: UsageModels) {
    this.#db = db;
    this.#models = models;
  }

  async of(member_id: number): Promise<number> {
    return (await this.#models.usage.findOne({ where: { member_id }, raw: true }))?.bytes ?? 0;
  }

  /** Adds bytes. Returns the member's new total. Benchmark row `sends`: runs for each text. */
  async add(member_id: number, bytes: number): Promise<number> {
    const [row] = await this.#db.rows<UsageRow>(
      `INSERT INTO chat_usage (member_id, bytes) VALUES ($1, $2)
       ON CONFLICT (member_id) DO UPDATE SET bytes = chat_usage.bytes + $2 RETURNING bytes`,
      [member_id, bytes],
      { often: true },
    );
    return row?.bytes ?? 0;
  }

  /**
   * Subtracts bytes. Plain SQL, because the statement must compute from the value after waiting for the lock. Locks members in the order of
   * their ids, to avoid deadlocks. Stops at 0, because during an upgrade an instance of an earlier version may run, which counts nothing.
   */
  async subtract(freed: BytesOfMembers): Promise<void> {
    const sql = 'UPDATE chat_usage SET bytes = CASE WHEN bytes > $2 THEN bytes - $2 ELSE 0 END WHERE member_id = $1';
    for (const [member_id, bytes] of [...freed].sort(([one], [other]) => one - other)) await this.#db.run(sql, [member_id, bytes]);
  }

  /** Adds an upload; false if the member has uploaded the same images already, which only the statement's row count shows. */
  async addUpload({ member_id, hash, bytes }: Upload, now: string): Promise<boolean> {
    const sql = `INSERT INTO chat_uploads (member_id, hash, bytes, created_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (member_id, hash) DO NOTHING`;
    return (await this.#db.run(sql, [member_id, hash, bytes, now])) > 0;
  }

  /** Removes an upload. Returns false if it was removed before. */
  async removeUpload({ member_id, hash }: Upload): Promise<boolean> {
    return (await this.#models.uploads.destroy({ where: { member_id, hash } })) > 0;
  }

  /** Removes uploads older than a time. Returns the bytes of each member among them, by RETURNING: messages claim uploads meanwhile. */
  async removeUploads(before: string): Promise<{ count: number; freed: BytesOfMembers }> {
    const sql = 'DELETE FROM chat_uploads WHERE created_at < $1 RETURNING member_id, bytes';
    const rows = await this.#db.rows<UsageRow>(sql, [before]);
    return { count: rows.length, freed: sumsOf(rows) };
  }

  /** Returns the bytes of a message. */
  async ofMessage(id: string): Promise<number> {
    const row = await this.#models.messages.findOne({ attributes: ['content', 'image_bytes'], where: { id }, raw: true });
    return row ? Buffer.byteLength(row.content) + row.image_bytes : 0;
  }

  /** Returns the bytes that each member has in sessions. */
  async inSessions(sessions: readonly string[]): Promise<BytesOfMembers> {
    const { fn, col } = this.#db.expressions;
    const rows = (await this.#models.messages.findAll({
      attributes: [
        ['sender_id', 'member_id'],
        [fn('sum', fn('octet_length', col('content'))), 'text_bytes'],
        [fn('sum', col('image_bytes')), 'image_bytes'],
      ],
      where: { session_id: [...sessions], role: 'user', sender_id: { [Op.ne]: null } },
      group: ['sender_id'],
      raw: true,
    })) as unknown as { member_id: number; text_bytes: number; image_bytes: number }[];
    return sumsOf(rows.map(({ member_id, text_bytes, image_bytes }) => ({ member_id, bytes: text_bytes + image_bytes })));
  }

  /** Removes a member, and subtracts what others had in sessions that are removed with it. */
  async forget(member_id: number, freed: BytesOfMembers): Promise<void> {
    await this.#models.uploads.destroy({ where: { member_id } });
    await this.subtract(new Map([[member_id, 0], ...freed]));
    await this.#models.usage.destroy({ where: { member_id } });
  }
}

/** Sums the bytes of each member. */
export function sumsOf(rows: Iterable<UsageRow>): BytesOfMembers {
  const sums = new Map<number, number>();
  for (const { member_id, bytes } of rows) sums.set(member_id, (sums.get(member_id) ?? 0) + bytes);
  return sums;
}
