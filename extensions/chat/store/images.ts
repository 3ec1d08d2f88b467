import type { Database } from '../../../kernel/contract/index.js';

/** Table `chat_images`: the images of each session, by the hex of their SHA-256. */
export class ImageRows {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The type of an image that a session has. */
  async typeOf(hash: string, session_id: string): Promise<string | undefined> {
    const [row] = await this.#db.rows<{ mime_type: string }>('SELECT mime_type FROM chat_images WHERE session_id = $1 AND hash = $2', [
      session_id,
      hash,
    ]);
    return row?.mime_type;
  }
}
