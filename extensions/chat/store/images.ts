import type { Database } from '../../../kernel/contract/index.js';
import { places } from './places.js';

interface Row {
  session_id: string;
  hash: string;
  mime_type: string;
}

/** Table `chat_images`: the images of each session, by the hex of their SHA-256. */
export class ImageRows {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add({ session_id, hash, mime_type }: Row): Promise<void> {
    await this.#db.run('INSERT INTO chat_images (session_id, hash, mime_type) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      session_id,
      hash,
      mime_type,
    ]);
  }

  /** The type of an image that a session has. */
  async typeIn(hash: string, session_id: string): Promise<string | undefined> {
    const sql = 'SELECT mime_type FROM chat_images WHERE session_id = $1 AND hash = $2';
    return (await this.#db.rows<Row>(sql, [session_id, hash]))[0]?.mime_type;
  }

  /** The type of an image in a session that the member sees. */
  async typeFor(hash: string, member_id: number): Promise<string | undefined> {
    const sql = `SELECT i.mime_type FROM chat_images i JOIN chat_participants p ON p.session_id = i.session_id
      WHERE i.hash = $1 AND p.member_id = $2 AND p.hidden = 0 LIMIT 1`;
    return (await this.#db.rows<Row>(sql, [hash, member_id]))[0]?.mime_type;
  }

  /** Gives those of the sessions that had some. */
  async forget(sessions: readonly string[]): Promise<string[]> {
    const sql = `DELETE FROM chat_images WHERE session_id IN (${places(sessions)}) RETURNING session_id`;
    const rows = await this.#db.rows<Row>(sql, sessions);
    return [...new Set(rows.map(({ session_id }) => session_id))];
  }
}
