import { type Database, nextNumber, placeholders, type SqlValue, Together, tuple } from '../../../kernel/contract/index.js';
import type { Fault, Image, Mention, Message, MessageFile, Usage } from '../contract.js';
import type { MessageRow, Models } from '../models.js';
import { MessageTexts } from '../search/message-texts.js';
import { searchedText } from '../text.js';
import { FileTexts } from './file-texts-sql.js';
import { type StoredMessage, toMessage, toStored, unchanged } from './message-record.js';
import { type PageOptions, scopes, withSizes } from './pages-sql.js';
import { type Indexed, SearchIndex } from './search-sql.js';

type Sent = 'id' | 'session_id' | 'role' | 'sender_name' | 'content' | 'reply_to' | 'task_id' | 'status' | 'created_at';

export interface NewMessage extends Pick<MessageRow, Sent> {
  /** Null if the sender is no member. */
  sender_id: number | null;
  /** Default: for a reply the thread of the message that it answers, otherwise none. */
  thread_id?: string | null;
  images?: readonly Image[];
  files?: readonly MessageFile[];
  mentions?: readonly Mention[];
  /** Size of all its images. Default: 0. */
  image_bytes?: number;
  /** 1 for a complete message, 0 for a reply to be written. */
  seq: 0 | 1;
}

/** Current state of a reply. */
export interface Progress extends Pick<MessageRow, 'content' | 'seq'> {
  /** JSON. */
  tool_calls: string;
  usage: Usage | null;
  notices: readonly Fault[];
}

/** Text and tool calls of a reply since it was last stored. */
export interface Addition {
  /** Length of the text before it. */
  before: number;
  text: string;
  /** JSON; null if unchanged. */
  tool_calls: string | null;
  seq: number;
  usage: Usage | null;
}

export interface Ending extends Progress, Pick<MessageRow, 'id' | 'status' | 'error'> {}

/** Texts that joined a task, and the time of the last edit or deletion in its session. */
export interface JoinedTexts {
  messages: Message[];
  changed_at: string | null;
}

/** Query for texts that joined a task after a time. */
interface Joining {
  task_id: string;
  session_id: string;
  after: string;
}

const whole = 'SELECT * FROM chat_messages';

/** All columns except the two that may be large. */
const light = `id, session_id, role, sender_id, sender_name, images, files, mentions, reply_to, task_id, status, error, notices, input_tokens, output_tokens,
  seq, no, created_at, updated_at, edited_at, deleted_at, thread_id, reply_count, last_reply_at, reactions`;

/** All columns by name: in an update from a list of rows, PostgreSQL's `*` would include the list. */
const columns = `${light}, content, tool_calls`;

/** Size at which a page ends, in bytes of texts and tool calls. */
export const page_bytes = 8 * 1024 * 1024;

/** Size of the complete part of a history, in bytes of texts and tool calls: more than a model receives. */
const max_history_bytes = 1024 * 1024;
/** Lengths of the start and end of a shortened text, in characters: together as much as notes of a conversation use of one. */
const excerpt_start = 1_000;
const excerpt_end = 400;

/** Rows whose numbers are taken: those of removed messages too, as long as they are in the search index. */
const numbered_tables = '(SELECT max(no) AS no FROM chat_messages UNION ALL SELECT max(no) FROM chat_search_removals)';

/** Replies stored or read per statement. */
const at_once = 50;
/** Sessions searched per statement for messages of a member. */
const disowned_at_once = 500;

/** Access to table `chat_messages`. Messages with a final text are also in the search index. */
export class Messages {
  readonly #db: Database;
  readonly #models: Pick<Models, 'messages' | 'participants'>;
  readonly #index: SearchIndex;
  readonly #texts: MessageTexts;
  readonly #joins = new Together<Joining, JoinedTexts>((take) => this.#joined(take()), { max: at_once });
  readonly #looks = new Together<string, StoredMessage | undefined>((take) => this.#all(take()), { max: at_once });

  constructor(db: Database, models: Models) {
    this.#db = db;
    this.#models = models;
    this.#index = new SearchIndex(db);
    this.#texts = new MessageTexts(new FileTexts(db, models));
  }

  /**
   * Returns at most `limit` messages of a session, oldest first: the latest, the latest strictly before a time, or the earliest strictly after
   * one. Fewer, but at least one, if they reach {@link page_bytes}. Benchmark row `growth-messages`: a window over the sizes ends the page without reading further texts.
   */
  async page(id: string, { before, after, limit, of = 'session' }: PageOptions): Promise<Message[]> {
    const edge = before ?? after;
    const part = edge === undefined ? '' : `AND created_at ${before === undefined ? '>' : '<'} $3`;
    const sizes = withSizes(part, scopes[of], after === undefined ? 'DESC' : 'ASC');
    const rows = await this.#rows(
      `SELECT ${columns} FROM (${sizes}) AS w CROSS JOIN chat_messages
       WHERE id = weighed_id AND total - size < ${page_bytes} ORDER BY created_at`,
      [id, limit, ...(edge === undefined ? [] : [edge])],
    );
    return rows.map(toMessage);
  }

  /** Returns the ids of the latest messages of a session, oldest first. */
  async latest(session_id: string, limit: number): Promise<string[]> {
    return (await this.#latest(session_id, limit)).map(({ id }) => id);
  }

  /** Returns replies in progress among the latest messages of a session, oldest first. */
  async inProgress(session_id: string, limit: number): Promise<StoredMessage[]> {
    const ids = (await this.#latest(session_id, limit)).filter(({ status }) => status === 'streaming').map(({ id }) => id);
    const found = ids.length === 0 ? [] : await this.#all(ids);
    return found.flatMap((stored) => (stored?.message.status === 'streaming' ? [stored] : []));
  }

  async #latest(session_id: string, limit: number): Promise<Pick<MessageRow, 'id' | 'status'>[]> {
    const query = { attributes: ['id', 'status'], order: [['created_at', 'DESC']] as [string, string][], limit, raw: true };
    return (await this.#models.messages.findAll({ ...query, where: { session_id } })).reverse();
  }

  /**
   * Returns the history of a session for a model, oldest first. The newest messages up to {@link max_history_bytes} together, and always
   * the asked one, are complete; earlier ones are reduced to the start and end of their text. Hot: each reply (benchmark row `streams`).
   */
  async history(session_id: string, { asked, limit }: { asked: string; limit: number }): Promise<Message[]> {
    const missing = `length(content) - ${excerpt_start + excerpt_end}`;
    const rows = await this.#rows(
      `SELECT ${light},
         CASE WHEN total <= ${max_history_bytes} OR id = $3 OR ${missing} <= 0 THEN content
           ELSE substr(content, 1, ${excerpt_start}) || '\n[… ' || (${missing}) || ' characters are left out here …]\n'
             || substr(content, length(content) - ${excerpt_end - 1}) END AS content,
         CASE WHEN total <= ${max_history_bytes} THEN tool_calls ELSE '[]' END AS tool_calls
       FROM (${withSizes('')}) AS w CROSS JOIN chat_messages WHERE id = weighed_id ORDER BY created_at`,
      [session_id, limit, asked],
    );
    return rows.map(toMessage);
  }

  /** Reads a message. Hot: each reply reads the message it answers (benchmark row `sends`). */
  async find(id: string): Promise<StoredMessage | undefined> {
    const [row] = await this.#rows(`${whole} WHERE id = $1`, [id]);
    return row && toStored(row);
  }

  /** Reads a message for readers; concurrent calls share a statement, because all readers need a reply when it ends. Not inside a transaction. */
  readShared(id: string): Promise<StoredMessage | undefined> {
    return this.#looks.do(id);
  }

  /** Reads messages of a session again, those that are still there. */
  async among(session_id: string, ids: readonly string[]): Promise<Message[]> {
    const found = ids.length === 0 ? [] : await this.#all(ids);
    return found.flatMap((stored) => (stored?.message.session_id === session_id ? [stored.message] : []));
  }

  /** Hot: each reader of a reply that ends (benchmark row `streams`). */
  async #all(ids: readonly string[]): Promise<(StoredMessage | undefined)[]> {
    const wanted = [...new Set(ids)];
    const rows = await this.#rows(`${whole} WHERE id IN (${placeholders(wanted)})`, wanted);
    const found = new Map(rows.map((row) => [row.id, toStored(row)]));
    return ids.map((id) => found.get(id));
  }

  /**
   * Returns the messages with these numbers that the member sees, the latest stored first, the texts that searches look at, and the size of
   * their own texts and tool calls.
   * Benchmark row `search`: each batch of the index's results, joined with the participants.
   */
  async numbered(numbers: readonly number[], member_id: number): Promise<{ message: Message; text: string; size: number }[]> {
    const rows = await this.#rows<{ size: number }>(
      `SELECT m.*, octet_length(m.content) + octet_length(m.tool_calls) AS size FROM chat_messages m
         JOIN chat_participants p ON p.session_id = m.session_id AND p.member_id = $1 AND p.hidden = 0
       WHERE m.no IN (${placeholders(numbers, 2)}) ORDER BY m.no DESC`,
      [member_id, ...numbers],
    );
    const texts = await this.#texts.of(rows);
    return rows.map((row, at) => ({ message: toMessage(row), text: texts[at] as string, size: row.size }));
  }

  /** Returns the texts that joined a task after a message of its session, oldest first, and the session's last change. Not inside a transaction. */
  joined({ id: task_id, session_id }: { id: string; session_id: string }, after: string): Promise<JoinedTexts> {
    return this.#joins.do({ task_id, session_id, after });
  }

  /** Reads joined texts of many tasks in one statement. Hot: each step of each reply (benchmark row `streams`). */
  async #joined(asked: readonly Joining[]): Promise<JoinedTexts[]> {
    const values: SqlValue[] = [];
    const among = asked.map(({ session_id, after, task_id }, at) => tuple(values, [session_id, after, task_id, at]));
    // The few queries come first in the join: otherwise SQLite scans all messages for each of them.
    const rows = await this.#rows<{ asker: number | string; session_changed_at: string | null }>(
      `SELECT m.*, v.column4 AS asker, (SELECT max(c.changed_at) FROM chat_messages c
         WHERE c.session_id = v.column1 AND c.changed_at IS NOT NULL) AS session_changed_at
       FROM (VALUES ${among.join()}) AS v LEFT JOIN chat_messages m ON m.session_id = v.column1 AND m.created_at > v.column2
         AND m.task_id = v.column3 AND m.role = 'user' ORDER BY m.created_at`,
      values,
    );
    return asked.map((_one, at) => {
      const found = rows.filter(({ asker }) => Number(asker) === at);
      const texts = found.filter(({ id }) => (id as string | null) !== null).map(toMessage);
      return { messages: texts, changed_at: found[0]?.session_changed_at ?? null };
    });
  }

  /** Inserts a message. {@link index} must follow if its text is whole. */
  async insert(message: NewMessage): Promise<StoredMessage> {
    const [stored] = await this.insertAll([message]);
    return stored as StoredMessage;
  }

  /** Inserts several messages, in order. Benchmark row `sends`: each message and each claim, with RETURNING for the numbers. */
  async insertAll(messages: readonly NewMessage[]): Promise<StoredMessage[]> {
    if (messages.length === 0) return [];
    const values: SqlValue[] = [];
    const numbered = { table: numbered_tables, column: 'no' };
    const rows = messages.map((message, at) => {
      const { id, session_id, role, sender_id, sender_name, content, images = [], image_bytes = 0, mentions = [] } = message;
      const { files = [], reply_to, task_id, status, seq, created_at } = message;
      const time = `$${values.push(created_at)}`;
      const sent = [id, session_id, role, sender_id, sender_name, content, JSON.stringify(images), image_bytes];
      const given = [...sent, reply_to, task_id, status, seq, JSON.stringify(mentions), JSON.stringify(files)];
      const listed = given.map((value) => `$${values.push(value)}`).join();
      const thread =
        role === 'assistant'
          ? `(SELECT a.thread_id FROM chat_messages a WHERE a.id = $${values.push(reply_to)})`
          : `CAST($${values.push(message.thread_id ?? null)} AS VARCHAR(36))`;
      return `(${listed}, ${thread}, '[]', ${time}, ${time}, ${nextNumber(this.#db, { ...numbered, at })})`;
    });
    const stored = await this.#db.rows<Pick<MessageRow, 'id' | 'no' | 'thread_id'>>(
      `INSERT INTO chat_messages (id, session_id, role, sender_id, sender_name, content, images, image_bytes, reply_to, task_id, status, seq,
         mentions, files, thread_id, tool_calls, created_at, updated_at, no) VALUES ${rows.join()} RETURNING id, no, thread_id`,
      values,
    );
    const rowOf = new Map(stored.map((row) => [row.id, row]));
    for (const { id, created_at } of messages) {
      const thread_id = rowOf.get(id)?.thread_id;
      if (thread_id) await this.#countReply(thread_id, created_at);
    }
    return messages.map((message) => {
      const { seq, images = [], files = [], mentions = [], image_bytes: _counted, created_at, ...record } = message;
      const made = {
        ...record,
        created_at,
        images: [...images],
        files: [...files],
        mentions: [...mentions],
        error: null,
        notices: [],
        usage: null,
        tool_calls: [],
        updated_at: created_at,
        ...unchanged,
        thread_id: rowOf.get(message.id)?.thread_id ?? null,
      };
      return { message: made, seq, no: rowOf.get(message.id)?.no as number };
    });
  }

  /** Counts a message in its thread. Computes from the stored value, because a thread may get several at once. */
  async #countReply(thread_id: string, created_at: string): Promise<void> {
    await this.#db.run('UPDATE chat_messages SET reply_count = reply_count + 1, last_reply_at = $2 WHERE id = $1', [thread_id, created_at]);
  }

  /** Adds messages to the search index of their sessions' members. */
  async index(found: readonly { stored: StoredMessage; readers: Indexed['readers'] }[]): Promise<void> {
    const texts = await this.#texts.of(found.map(({ stored: { message } }) => message));
    const rows = found.map(({ stored: { message, no }, readers }, at) => ({ ...message, content: texts[at] as string, no, readers }));
    await this.#index.addAll(rows.filter(({ content }) => content !== ''));
  }

  /** Indexes a changed message anew; removes it from the index if it has no text. */
  async reindex(stored: StoredMessage, readers: Indexed['readers']): Promise<void> {
    if (searchedText(stored.message) === '') await this.#index.delete(stored.no);
    else await this.index([{ stored, readers }]);
  }

  /**
   * Stores the progress of replies, except ended ones. Benchmark row `streams`: all replies in progress, several times a second; many in one
   * statement, because the number of calls determines the cost.
   */
  async add(replies: readonly { id: string; addition: Addition }[], now: string): Promise<void> {
    for (let start = 0; start < replies.length; start += at_once) {
      const values: SqlValue[] = [now];
      const rows = replies.slice(start, start + at_once).map(({ id, addition: { before, text, tool_calls, seq, usage } }) => {
        const tokens = [usage?.input_tokens ?? null, usage?.output_tokens ?? null];
        return tuple(values, [id, text, tool_calls, seq, ...tokens, before]);
      });
      await this.#db.run(
        `UPDATE chat_messages SET content = substr(content, 1, CAST(v.column7 AS INTEGER)) || v.column2,
           tool_calls = COALESCE(v.column3, tool_calls), seq = CAST(v.column4 AS INTEGER), updated_at = $1, input_tokens = CAST(v.column5 AS INTEGER), output_tokens = CAST(v.column6 AS INTEGER)
         FROM (VALUES ${rows.join()}) AS v WHERE chat_messages.id = v.column1 AND status = 'streaming'`,
        values,
      );
    }
  }

  /**
   * Ends replies; returns by id those that this call ended. {@link index} must follow. Benchmark row `sends`, and RETURNING: a reply ends
   * once, even with concurrent attempts.
   */
  async finish(endings: readonly Ending[], now: string): Promise<ReadonlyMap<string, StoredMessage>> {
    const values: SqlValue[] = [now];
    const rows = endings.map(({ id, content, tool_calls, seq, status, error, usage, notices }) => {
      const tokens = [usage?.input_tokens ?? null, usage?.output_tokens ?? null];
      return tuple(values, [id, content, tool_calls, seq, status, error && JSON.stringify(error), ...tokens, JSON.stringify(notices)]);
    });
    const ended = await this.#rows(
      `UPDATE chat_messages SET content = v.column2, tool_calls = v.column3, seq = CAST(v.column4 AS INTEGER), status = v.column5,
         error = v.column6, input_tokens = CAST(v.column7 AS INTEGER), output_tokens = CAST(v.column8 AS INTEGER), notices = v.column9,
         updated_at = $1
       FROM (VALUES ${rows.join()}) AS v WHERE chat_messages.id = v.column1 AND chat_messages.status = 'streaming' RETURNING ${columns}`,
      values,
    );
    return new Map(ended.map((row) => [row.id, toStored(row)]));
  }

  /** Ends a reply with its stored text; returns it if this call ended it, which only RETURNING shows. */
  async interrupt(id: string, error: Fault, now: string): Promise<StoredMessage | undefined> {
    const [row] = await this.#rows(
      `UPDATE chat_messages SET status = 'failed', error = $1, updated_at = $2 WHERE id = $3 AND status = 'streaming' RETURNING *`,
      [JSON.stringify(error), now, id],
    );
    return row && toStored(row);
  }

  /** Removes the member's name from its messages, which others keep. `former_sessions`: rooms that it has left. */
  async disown(member_id: number, former_sessions: readonly string[]): Promise<void> {
    const { messages, participants } = this.#models;
    const rows = await participants.findAll({ attributes: ['session_id'], where: { member_id }, raw: true });
    const sessions = [...rows.map(({ session_id }) => session_id), ...former_sessions];
    for (let start = 0; start < sessions.length; start += disowned_at_once) {
      const where = { sender_id: member_id, session_id: sessions.slice(start, start + disowned_at_once) };
      await messages.update({ sender_id: null, sender_name: 'Deleted member' }, { where });
    }
  }

  async deleteOf(sessions: readonly string[]): Promise<void> {
    await this.#index.deleteOf(sessions);
    await this.#models.messages.destroy({ where: { session_id: [...sessions] } });
  }

  #rows<More extends object = object>(sql: string, values: readonly SqlValue[]): Promise<(MessageRow & More)[]> {
    return this.#db.rows<MessageRow & More>(sql, values, { model: this.#models.messages });
  }
}
