import { type Database, databaseNow, type JobTable, Op } from '../../../kernel/contract/index.js';
import type { FileRow, FileTextRow, Models } from '../models.js';

/** A file that waits until its text is read and indexed. */
export type TextJob = Pick<FileTextRow, 'id' | 'attempts'>;

/** A file of a job. */
export interface FileToRead {
  file: FileRow;
  /** The stored text; null if the file was not read yet. */
  text: string | null;
}

/**
 * Files are claimed by the workers of all instances, a file of each member in turn. The fairness of workers would not do: it shares the places
 * of a process, and there is only one.
 */
export const jobTable: JobTable = {
  name: 'chat_file_texts',
  ready: () => 'j.waiting = 1',
  active: 'waiting = 1',
  order: 'j.turn, j.id',
  start: () => 'attempts = attempts + 1',
  returning: 'id, attempts',
};

/** Table `chat_file_texts`: the beginnings of the texts of sent files, for the search, and the queue of files to read. */
export class FileTexts {
  readonly #db: Database;
  readonly #models: Pick<Models, 'files' | 'file_texts' | 'message_files'>;

  constructor(db: Database, models: Pick<Models, 'files' | 'file_texts' | 'message_files'>) {
    this.#db = db;
    this.#models = models;
  }

  /** Queues files of a member for reading, except those that have been read already. */
  async add(ids: readonly string[], uploader_id: number): Promise<void> {
    const turn = await this.#nextTurn(uploader_id);
    const job = { text: null, waiting: 1 as const, attempts: 0, owner: null, lease_until: 0, uploader_id };
    const rows = ids.map((id, at) => ({ id, ...job, turn: turn + at }));
    await this.#models.file_texts.bulkCreate(rows, { ignoreDuplicates: true });
  }

  /** Returns the turn after the last waiting file of a member, but none before the turn that files are read in now. */
  async #nextTurn(uploader_id: number): Promise<number> {
    const { file_texts } = this.#models;
    const last = (await file_texts.max('turn', { where: { waiting: 1, uploader_id } })) as number | null;
    // Without postponed files, which may be far behind.
    const current = { waiting: 1, [Op.or]: [{ owner: { [Op.ne]: null } }, { lease_until: 0 }] };
    const now = (await file_texts.min('turn', { where: current })) as number | null;
    return Math.max((last ?? -1) + 1, now ?? 0);
  }

  /** Returns the texts of those files that have one, by id. */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const where = { id: [...ids], text: { [Op.ne]: '' } };
    const rows = await this.#models.file_texts.findAll({ attributes: ['id', 'text'], where, raw: true });
    return new Map(rows.map(({ id, text }) => [id, text ?? '']));
  }

  /** Returns the file of a job; undefined if it was removed. */
  async find(id: string): Promise<FileToRead | undefined> {
    const file = await this.#models.files.findByPk(id, { raw: true });
    const row = file && (await this.#models.file_texts.findByPk(id, { raw: true }));
    return row ? { file, text: row.text } : undefined;
  }

  /**
   * Stores the text of a file; false if the file was removed. Locks the file, as sending and removing it do: a message that names it either
   * sees the text or is seen by {@link messagesOf}.
   */
  async store(id: string, text: string): Promise<boolean> {
    const { files, file_texts } = this.#models;
    return this.#db.transaction(async () => {
      if (!(await files.findByPk(id, { attributes: ['id'], lock: true, raw: true }))) return false;
      await file_texts.update({ text }, { where: { id } });
      return true;
    });
  }

  /** Returns the ids of the messages that name a file, in order: at most `limit` of those after an id. */
  async messagesOf(file_id: string, after: string, limit: number): Promise<string[]> {
    const query = { attributes: ['message_id'], order: ['message_id'], limit, raw: true };
    const rows = await this.#models.message_files.findAll({ ...query, where: { file_id, message_id: { [Op.gt]: after } } });
    return rows.map(({ message_id }) => message_id);
  }

  /** Ends a job. */
  async finish(id: string): Promise<void> {
    await this.#models.file_texts.update({ waiting: 0, owner: null, uploader_id: null }, { where: { id } });
  }

  /** Removes a job without a file. */
  async remove(id: string): Promise<void> {
    await this.#models.file_texts.destroy({ where: { id } });
  }

  /** Makes a job due again in `wait_ms` by the database's clock, unless another worker has claimed it since. `counts` says whether the attempt counts. */
  async postpone({ id, attempts }: TextJob, wait_ms: number, { counts = false } = {}): Promise<void> {
    await this.#db.run(
      `UPDATE chat_file_texts SET owner = NULL, attempts = attempts - ${counts ? 0 : 1}, lease_until = ${databaseNow(this.#db)} + ${Math.round(wait_ms)}
       WHERE id = $1 AND attempts = $2 AND waiting = 1`,
      [id, attempts],
    );
  }
}
