import type { Database } from '../../../kernel/contract/index.js';
import { places } from './places.js';

interface Row {
  member_id: number;
  bytes: number | string;
}

/** Images that a member has uploaded for a message. */
export interface Upload {
  member_id: number;
  /** Names their content. */
  hash: string;
  bytes: number;
}

/** Bytes by member id. */
export type BytesOfMembers = ReadonlyMap<number, number>;

/**
 * Stores the bytes of each member's texts and images (`chat_usage`), and which of the images no message has yet (`chat_uploads`).
 * A transaction writes here last, and to uploads before usage: it locks the member's row, and others of that member wait.
 */
export class UsageRows {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async of(member_id: number): Promise<number> {
    const [row] = await this.#db.rows<Row>('SELECT bytes FROM chat_usage WHERE member_id = $1', [member_id]);
    return Number(row?.bytes ?? 0);
  }

  /** Adds bytes. Returns the member's new total. */
  async add(member_id: number, bytes: number): Promise<number> {
    const [row] = await this.#db.rows<Row>(
      `INSERT INTO chat_usage (member_id, bytes) VALUES ($1, $2)
       ON CONFLICT (member_id) DO UPDATE SET bytes = chat_usage.bytes + $2 RETURNING bytes`,
      [member_id, bytes],
      { often: true },
    );
    return Number(row?.bytes);
  }

  /**
   * Subtracts bytes. Locks members in the order of their ids, so that two transactions never wait for each other. Stops at 0: an
   * instance of the version before this table may run beside this one during an upgrade, and counts nothing.
   */
  async subtract(freed: BytesOfMembers): Promise<void> {
    const sql = 'UPDATE chat_usage SET bytes = CASE WHEN bytes > $2 THEN bytes - $2 ELSE 0 END WHERE member_id = $1';
    for (const [member_id, bytes] of [...freed].sort(([one], [other]) => one - other)) await this.#db.run(sql, [member_id, bytes]);
  }

  /** Adds an upload. Returns false if the member has uploaded the same images already. */
  async addUpload({ member_id, hash, bytes }: Upload, now: string): Promise<boolean> {
    const sql = `INSERT INTO chat_uploads (member_id, hash, bytes, created_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (member_id, hash) DO NOTHING`;
    return (await this.#db.run(sql, [member_id, hash, bytes, now])) > 0;
  }

  /** Removes an upload. Returns false if it was removed before. */
  async removeUpload({ member_id, hash }: Upload): Promise<boolean> {
    return (await this.#db.run('DELETE FROM chat_uploads WHERE member_id = $1 AND hash = $2', [member_id, hash])) > 0;
  }

  /** Removes uploads older than a time. Returns the bytes of each member among them. */
  async removeUploads(before: string): Promise<{ count: number; freed: BytesOfMembers }> {
    const rows = await this.#db.rows<Row>('DELETE FROM chat_uploads WHERE created_at < $1 RETURNING member_id, bytes', [before]);
    return { count: rows.length, freed: sumsOf(rows) };
  }

  /** Returns the bytes that each member has in sessions. */
  async inSessions(sessions: readonly string[]): Promise<BytesOfMembers> {
    const rows = await this.#db.rows<Row>(
      `SELECT sender_id AS member_id, sum(octet_length(content) + image_bytes) AS bytes FROM chat_messages
       WHERE session_id IN (${places(sessions)}) AND role = 'user' AND sender_id IS NOT NULL GROUP BY sender_id`,
      sessions,
    );
    return sumsOf(rows);
  }

  /** Removes a member, and subtracts what others had in sessions that are removed with it. */
  async forget(member_id: number, freed: BytesOfMembers): Promise<void> {
    await this.#db.run('DELETE FROM chat_uploads WHERE member_id = $1', [member_id]);
    await this.subtract(new Map([[member_id, 0], ...freed]));
    await this.#db.run('DELETE FROM chat_usage WHERE member_id = $1', [member_id]);
  }
}

/** Adds up what each member has. */
export function sumsOf(rows: Iterable<Row>): BytesOfMembers {
  const sums = new Map<number, number>();
  for (const { member_id, bytes } of rows) sums.set(member_id, (sums.get(member_id) ?? 0) + Number(bytes));
  return sums;
}
