import { type Database, Op, placeholders, type SqlValue, tuple } from '../../../kernel/contract/index.js';
import type { ReactionCount } from '../contract.js';
import type { ImportedKind } from '../import-models.js';
import type { MessageRow, Models, SessionRow } from '../models.js';

type ImportModels = Pick<Models, 'imported' | 'messages' | 'reactions' | 'participants'>;

/** A session to which imported messages are added. */
export type ImportSession = Pick<SessionRow, 'id' | 'target_type' | 'message_count' | 'last_ms'>;

/** Message that begins a thread, or is in one. */
export type ThreadRow = Pick<MessageRow, 'id' | 'session_id' | 'thread_id' | 'created_at'>;

/** Fields of an imported message that no new message has. */
export interface ImportedFields extends Pick<MessageRow, 'id' | 'ordinal' | 'edited_at'> {
  reactions: readonly ReactionCount[];
}

/** Imported messages of a session. */
export interface Advance {
  session_id: string;
  is_room: boolean;
  /** Number of messages in no thread. */
  roots: number;
  /** The last of them. */
  last_at: string;
  last_ms: number;
  preview: string;
}

/** Imported replies of a thread. */
export interface ImportedThread {
  root_id: string;
  session_id: string;
  replies: number;
  writers: readonly number[];
}

export interface ImportedReaction {
  message_id: string;
  session_id: string;
  member_id: number;
  emoji: string;
  created_at: string;
}

/** Ids per statement. */
const portion = 500;

/** Table `chat_imported`, and what an import writes differently from a message that somebody sends. */
export class ImportedRows {
  readonly #db: Database;
  readonly #models: ImportModels;

  constructor(db: Database, models: ImportModels) {
    this.#db = db;
    this.#models = models;
  }

  /** Returns what was made of those records that were imported before, by their ids in the export. */
  async find(source: string, kind: ImportedKind, ids: readonly string[]): Promise<Map<string, string>> {
    const wanted = [...new Set(ids)];
    const found = new Map<string, string>();
    for (let start = 0; start < wanted.length; start += portion) {
      const where = { source, kind, source_id: wanted.slice(start, start + portion) };
      const rows = await this.#models.imported.findAll({ where, raw: true });
      for (const { source_id, target } of rows) found.set(source_id, target);
    }
    return found;
  }

  /** Returns what was made of all records of a kind. */
  async targets(source: string, kind: ImportedKind): Promise<string[]> {
    const rows = await this.#models.imported.findAll({ attributes: ['target'], where: { source, kind }, raw: true });
    return rows.map(({ target }) => target);
  }

  async add(source: string, kind: ImportedKind, made: ReadonlyMap<string, string>): Promise<void> {
    await this.#models.imported.bulkCreate([...made].map(([source_id, target]) => ({ source, kind, source_id, target })));
  }

  /** Locks sessions until the current transaction ends, and reads them by id. A lock. */
  async sessions(ids: readonly string[]): Promise<Map<string, ImportSession>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db.rows<ImportSession>(
      `SELECT id, target_type, message_count, last_ms FROM chat_sessions WHERE id IN (${placeholders(ids)}) ORDER BY id FOR UPDATE`,
      ids,
    );
    return new Map(rows.map((row) => [row.id, { ...row, last_ms: Number(row.last_ms) }]));
  }

  async threads(ids: readonly string[]): Promise<Map<string, ThreadRow>> {
    const attributes = ['id', 'session_id', 'thread_id', 'created_at'];
    const rows = ids.length === 0 ? [] : await this.#models.messages.findAll({ attributes, where: { id: [...ids] }, raw: true });
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Returns the times between two that messages of a session have. */
  async times(session_id: string, first: string, last: string): Promise<string[]> {
    const where = { session_id, created_at: { [Op.between]: [first, last] as [string, string] } };
    const rows = await this.#models.messages.findAll({ attributes: ['created_at'], where, raw: true });
    return rows.map(({ created_at }) => created_at);
  }

  /** Sets fields of messages that were just inserted. SQL text, because each row gets other values in one statement. */
  async complete(messages: readonly ImportedFields[]): Promise<void> {
    if (messages.length === 0) return;
    const values: SqlValue[] = [];
    const rows = messages.map(({ id, ordinal, edited_at, reactions }) =>
      tuple(values, [id, ordinal, edited_at, JSON.stringify(reactions)]),
    );
    await this.#db.run(
      `UPDATE chat_messages SET ordinal = CAST(v.column2 AS INTEGER), edited_at = v.column3, reactions = v.column4
       FROM (VALUES ${rows.join()}) AS v WHERE chat_messages.id = v.column1`,
      values,
    );
  }

  async addReactions(reactions: readonly ImportedReaction[]): Promise<void> {
    if (reactions.length > 0) await this.#models.reactions.bulkCreate([...reactions]);
  }

  /** Adds messages to a session as ones that everybody has read. SQL text: computes from the stored values. Lock the session first. */
  async advance({ session_id, is_room, roots, last_at, last_ms, preview }: Advance): Promise<void> {
    const counted = is_room ? roots : 0;
    if (is_room) await this.#readInRoom(session_id, counted, last_at);
    else await this.#activeAt(session_id, last_at);
    const isLast = '(last_message_at IS NULL OR last_message_at <= $2)';
    await this.#db.run(
      `UPDATE chat_sessions SET message_count = message_count + $5,
         last_message_preview = CASE WHEN ${isLast} THEN $3 ELSE last_message_preview END,
         updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at END,
         last_message_at = CASE WHEN ${isLast} THEN $2 ELSE last_message_at END,
         last_ms = CASE WHEN last_ms < $4 THEN $4 ELSE last_ms END WHERE id = $1`,
      [session_id, last_at, preview, last_ms, counted],
    );
  }

  /** Moves the read positions on, so that the number of unread messages stays. SQL text: the number of messages comes from the session. */
  async #readInRoom(session_id: string, count: number, last_at: string): Promise<void> {
    await this.#db.run(
      `UPDATE chat_participants SET read_count = read_count + $2, read_at = CASE WHEN read_at < $3
         AND read_count >= (SELECT s.message_count FROM chat_sessions s WHERE s.id = $1) THEN $3 ELSE read_at END
       WHERE session_id = $1`,
      [session_id, count, last_at],
    );
  }

  /** Places a conversation of two in the lists by its last message. */
  async #activeAt(session_id: string, activity_at: string): Promise<void> {
    await this.#models.participants.update({ activity_at }, { where: { session_id, activity_at: { [Op.lt]: activity_at } } });
  }

  /** Lets the writers of a thread follow it, which they have read. SQL text: the numbers come from the first message. */
  async follow({ root_id, session_id, replies, writers }: ImportedThread): Promise<void> {
    await this.#db.run('UPDATE chat_thread_followers SET read_count = read_count + $2 WHERE root_id = $1', [root_id, replies]);
    const values: SqlValue[] = [root_id, session_id];
    const rows = writers.map((id) => tuple(values, [id]));
    const ofWriters = rows.length === 0 ? '' : `SELECT CAST(v.column1 AS INTEGER) AS member_id FROM (VALUES ${rows.join()}) AS v UNION`;
    await this.#db.run(
      `INSERT INTO chat_thread_followers (root_id, session_id, member_id, read_count)
       SELECT $1, $2, w.member_id, (SELECT m.reply_count FROM chat_messages m WHERE m.id = $1)
       FROM (${ofWriters} SELECT r.sender_id AS member_id FROM chat_messages r WHERE r.id = $1) AS w
       JOIN chat_participants p ON p.session_id = $2 AND p.member_id = w.member_id WHERE true
       ON CONFLICT (root_id, member_id) DO NOTHING`,
      values,
    );
  }
}
