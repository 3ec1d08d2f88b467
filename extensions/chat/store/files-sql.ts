import { type Database, Op } from '../../../kernel/contract/index.js';
import type { FileRow, Models } from '../models.js';
import { type BytesOfMembers, sumsOf } from './usage-sql.js';

type FileModels = Pick<Models, 'files' | 'message_files' | 'file_texts'>;

/** A removed file, and whose quota it used. */
export type RemovedFile = Pick<FileRow, 'id' | 'uploader_id' | 'bytes'>;

/** A message that names files. */
export interface NamingMessage {
  message_id: string;
  session_id: string;
}

/** Files handled per statement. */
const batch = 500;
const attributes: (keyof RemovedFile)[] = ['id', 'uploader_id', 'bytes'];

/** Tables `chat_files` and `chat_message_files`: the files that members have uploaded, and the messages that name them. Removes their texts too. */
export class FileRows {
  readonly #db: Database;
  readonly #models: FileModels;

  constructor(db: Database, models: FileModels) {
    this.#db = db;
    this.#models = models;
  }

  /** Adds an uploaded file. */
  async add(file: FileRow): Promise<void> {
    await this.#models.files.create(file);
  }

  /**
   * Returns a file that a member sees: one that a message in one of its sessions names, or an own one that was never sent. `session_id`: only
   * a file that a message of this session names. SQL text, because clients read it for each image that they show, and both the sessions of a
   * member and the messages that name a file may be thousands: only a join finds a match without reading all of them.
   */
  async visible(id: string, member_id: number, session_id?: string): Promise<FileRow | undefined> {
    const isOwn = session_id === undefined ? '(f.uploader_id = $2 AND f.unsent_since IS NOT NULL) OR' : '';
    const inSession = session_id === undefined ? '' : 'AND m.session_id = $3';
    const sql = `SELECT f.* FROM chat_files f WHERE f.id = $1 AND (${isOwn} EXISTS (
      SELECT 1 FROM chat_message_files m JOIN chat_participants p ON p.session_id = m.session_id
      WHERE m.file_id = f.id AND p.member_id = $2 AND p.hidden = 0 ${inSession}))`;
    const values = [id, member_id, ...(session_id === undefined ? [] : [session_id])];
    return (await this.#db.rows<FileRow>(sql, values, { model: this.#models.files }))[0];
  }

  /** Returns those of the files that the member has uploaded and sees, by id. Inside a transaction it locks them against removal. */
  async own(ids: readonly string[], member_id: number): Promise<ReadonlyMap<string, FileRow>> {
    const where = { id: [...ids], uploader_id: member_id };
    const rows = await this.#models.files.findAll({ where, order: [['id', 'ASC']], lock: this.#db.inTransaction, raw: true });
    const found = new Map<string, FileRow>();
    for (const row of rows) if (row.unsent_since !== null || (await this.visible(row.id, member_id))) found.set(row.id, row);
    return found;
  }

  /** Returns those of the files that were not sent yet, by id, and locks them against removal. */
  async unsentByIds(ids: readonly string[]): Promise<ReadonlyMap<string, FileRow>> {
    if (ids.length === 0) return new Map();
    const where = { id: [...ids], unsent_since: { [Op.ne]: null } };
    const rows = await this.#models.files.findAll({ where, order: [['id', 'ASC']], lock: this.#db.inTransaction, raw: true });
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Records that a message names files, which {@link own} has locked. */
  async attach(ids: readonly string[], message: NamingMessage): Promise<void> {
    await this.#models.files.update({ unsent_since: null }, { where: { id: [...ids] } });
    await this.#models.message_files.bulkCreate(ids.map((file_id) => ({ file_id, ...message })));
  }

  /** Makes files those of another member; null: of nobody. */
  async give(ids: readonly string[], uploader_id: number | null): Promise<void> {
    await this.#models.files.update({ uploader_id }, { where: { id: [...ids] } });
  }

  /** Detaches the files of messages, or of all messages of sessions. Returns the files, for {@link removeUnnamed}. */
  async detach(where: { message_id: string } | { session_id: readonly string[] }): Promise<string[]> {
    const named = 'message_id' in where ? where : { session_id: [...where.session_id] };
    const rows = await this.#models.message_files.findAll({ attributes: ['file_id'], where: named, group: ['file_id'], raw: true });
    if (rows.length > 0) await this.#models.message_files.destroy({ where: named });
    return rows.map(({ file_id }) => file_id);
  }

  /** Removes those of the files that no message names any more. Locks them first, because a message that names one may be sent meanwhile. */
  async removeUnnamed(ids: readonly string[]): Promise<RemovedFile[]> {
    const { files, message_files, file_texts } = this.#models;
    const removed: RemovedFile[] = [];
    const sorted = [...ids].sort();
    for (let start = 0; start < sorted.length; start += batch) {
      const where = { id: sorted.slice(start, start + batch) };
      const rows = await files.findAll({ attributes, where, order: [['id', 'ASC']], lock: true, raw: true });
      // A separate statement, because on PostgreSQL only the next one sees a message that the lock waited for.
      const named = await message_files.findAll({ attributes: ['file_id'], where: { file_id: where.id }, group: ['file_id'], raw: true });
      const stillNamed = new Set(named.map(({ file_id }) => file_id));
      const gone = rows.filter(({ id }) => !stillNamed.has(id));
      if (gone.length > 0) {
        const gone_ids = gone.map(({ id }) => id);
        await files.destroy({ where: { id: gone_ids } });
        await file_texts.destroy({ where: { id: gone_ids } });
      }
      removed.push(...gone);
    }
    return removed;
  }

  /** Returns a page of the files that a member has uploaded and not sent, newest first, and the number of all. */
  async unsent(uploader_id: number, { limit, offset }: { limit: number; offset: number }): Promise<{ rows: FileRow[]; count: number }> {
    const where = { uploader_id, unsent_since: { [Op.ne]: null } };
    const order: [string, string][] = [
      ['unsent_since', 'DESC'],
      ['id', 'DESC'],
    ];
    return this.#models.files.findAndCountAll({ where, order, limit, offset, raw: true });
  }

  /** Removes a file that a member has uploaded and not sent; returns an empty list if there is none. */
  removeUnsentOf(member_id: number, id: string): Promise<RemovedFile[]> {
    return this.#removed('id = $1 AND uploader_id = $2 AND unsent_since IS NOT NULL', [id, member_id]);
  }

  /** Removes at most 500 files that were uploaded before a time and never sent. */
  removeUnsent(before: string): Promise<RemovedFile[]> {
    const unsent = `SELECT id FROM chat_files WHERE unsent_since < $1 LIMIT ${batch}`;
    // The condition is repeated, because on PostgreSQL a message may claim a file in between.
    return this.#removed(`id IN (${unsent}) AND unsent_since < $1`, [before]);
  }

  /** Removes the unsent files of a member, and the member from the others. */
  async disown(member_id: number): Promise<RemovedFile[]> {
    const removed = await this.#removed('unsent_since IS NOT NULL AND uploader_id = $1', [member_id]);
    await this.#models.files.update({ uploader_id: null }, { where: { uploader_id: member_id } });
    await this.#models.file_texts.update({ uploader_id: null }, { where: { uploader_id: member_id, waiting: 1 } });
    return removed;
  }

  /** Removes files by a condition, and returns them, which only RETURNING does exactly. */
  #removed(condition: string, values: readonly (string | number)[]): Promise<RemovedFile[]> {
    const sql = `DELETE FROM chat_files WHERE ${condition} RETURNING ${attributes.join()}`;
    return this.#db.rows<RemovedFile>(sql, values, { model: this.#models.files });
  }
}

/** Returns the bytes that removed files free for each member. */
export function freedBy(removed: readonly RemovedFile[]): BytesOfMembers {
  return sumsOf(removed.flatMap(({ uploader_id, bytes }) => (uploader_id === null ? [] : [{ member_id: uploader_id, bytes }])));
}
