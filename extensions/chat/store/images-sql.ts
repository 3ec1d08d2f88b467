import { type Database, Op } from '../../../kernel/contract/index.js';
import type { ImageRow, Models } from '../models.js';

/** Table `chat_images`: the images of each session. */
export class ImageRows {
  readonly #db: Database;
  readonly #model: Models['images'];

  constructor(db: Database, model: Models['images']) {
    this.#db = db;
    this.#model = model;
  }

  async add(image: ImageRow): Promise<void> {
    await this.#model.bulkCreate([image], { ignoreDuplicates: true });
  }

  /** Returns the type of an image that a session has. */
  async typeIn(hash: string, session_id: string): Promise<string | undefined> {
    return (await this.#model.findOne({ attributes: ['mime_type'], where: { session_id, hash }, raw: true }))?.mime_type;
  }

  /**
   * Returns the type of an image in a session that the member sees. Hot: each image that a client shows. Text, because a member may see
   * thousands of sessions and thousands may have the image: only a join finds one of both without reading them all.
   */
  async typeFor(hash: string, member_id: number): Promise<string | undefined> {
    const sql = `SELECT i.mime_type FROM chat_images i JOIN chat_participants p ON p.session_id = i.session_id
      WHERE i.hash = $1 AND p.member_id = $2 AND p.hidden = 0 LIMIT 1`;
    return (await this.#db.rows<ImageRow>(sql, [hash, member_id]))[0]?.mime_type;
  }

  /** Removes the images of a session that are not among these; returns how many. */
  keepOnly(session_id: string, hashes: readonly string[]): Promise<number> {
    return this.#model.destroy({ where: { session_id, hash: { [Op.notIn]: [...hashes] } } });
  }

  /** Returns the sessions that had images. */
  async forget(sessions: readonly string[]): Promise<string[]> {
    const where = { session_id: [...sessions] };
    const rows = await this.#model.findAll({ attributes: ['session_id'], where, group: ['session_id'], raw: true });
    await this.#model.destroy({ where });
    return rows.map(({ session_id }) => session_id);
  }
}
