import { type Database, nextNumber, placeholders, type SqlValue, Together } from '../../../kernel/contract/index.js';
import type { Fault, Image, Message, MessageRole, MessageStatus, ToolCall, Usage } from '../contract.js';
import { tuple } from './places.js';
import { SearchIndex } from './search-sql.js';

interface Row {
  id: string;
  session_id: string;
  role: MessageRole;
  sender_id: number | null;
  sender_name: string;
  content: string;
  images: string;
  reply_to: string | null;
  task_id: string | null;
  status: MessageStatus;
  error: string | null;
  notices: string;
  input_tokens: number | null;
  output_tokens: number | null;
  tool_calls: string;
  seq: number;
  no: number | string;
  created_at: string;
  updated_at: string;
}

/** A message and how far its reply had come when it was stored: all events up to `seq` are in it. */
export interface StoredMessage {
  message: Message;
  seq: number;
  /** Its place in the order in which messages were stored. */
  no: number;
}

export interface NewMessage {
  id: string;
  session_id: string;
  role: MessageRole;
  sender_id: number;
  sender_name: string;
  content: string;
  reply_to: string | null;
  task_id: string | null;
  status: MessageStatus;
  images?: readonly Image[];
  /** The bytes of all its images. Default: 0. */
  image_bytes?: number;
  /** 1 for a message that is whole from the start, 0 for a reply that is to be written. */
  seq: 0 | 1;
  created_at: string;
}

/** A reply, as far as it goes. */
export interface Progress {
  content: string;
  /** JSON. */
  tool_calls: string;
  seq: number;
  usage: Usage | null;
  notices: readonly Fault[];
}

/** What a reply in progress has got since it was last stored. */
export interface Addition {
  /** How many characters stand before the text. */
  before: number;
  text: string;
  /** JSON; null where they are as they were stored. */
  tool_calls: string | null;
  seq: number;
  usage: Usage | null;
}

export interface Ending extends Progress {
  /** Of the reply. */
  id: string;
  status: MessageStatus;
  error: Fault | null;
}

/** What may have joined a task after a time. */
interface Joining {
  task_id: string;
  session_id: string;
  after: string;
}

const whole = 'SELECT * FROM chat_messages';

/** All but the two that may be large. */
const light = `id, session_id, role, sender_id, sender_name, images, reply_to, task_id, status, error, notices, input_tokens, output_tokens,
  seq, no, created_at, updated_at`;

/** By their names: where an update reads from a list of rows too, PostgreSQL gives all of that list as well for `*`. */
const columns = `${light}, content, tool_calls`;

/** A page ends with the message that brings it here, in bytes of texts and tool calls. */
export const page_bytes = 8 * 1024 * 1024;

/** What a conversation is told of whole, in bytes of its texts and tool calls: more than a model is told. */
const max_told = 1024 * 1024;
/** Of an earlier text, in characters: together as much as notes of a conversation take of one. */
const told_start = 1_000;
const told_end = 400;

/** So many replies are stored by one statement, or looked for by one. */
const at_once = 50;

/** Table `chat_messages`. A message whose text is final is in the index of the search as well. */
export class Messages {
  readonly #db: Database;
  readonly #index: SearchIndex;
  readonly #joins = new Together<Joining, Message[]>((take) => this.#joined(take()), { max: at_once });
  readonly #looks = new Together<string, StoredMessage | undefined>((take) => this.#all(take()), { max: at_once });

  constructor(db: Database) {
    this.#db = db;
    this.#index = new SearchIndex(db);
  }

  /**
   * At most `limit` of a session, strictly before a time where one is given; oldest first. Fewer, but one at least, where the latest of
   * them have {@link page_bytes}.
   */
  async page(session_id: string, { before, limit }: { before?: string | undefined; limit: number }): Promise<Message[]> {
    const values: SqlValue[] = [session_id, limit];
    if (before !== undefined) values.push(before);
    const earlier = before === undefined ? '' : 'AND created_at < $3';
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM (${weighed(earlier)}) AS w CROSS JOIN chat_messages
       WHERE id = weighed_id AND total - size < ${page_bytes} ORDER BY created_at`,
      values,
    );
    return rows.map(toMessage);
  }

  /** The ids of the latest of a session, oldest first. */
  async latest(session_id: string, limit: number): Promise<string[]> {
    const sql = 'SELECT id FROM chat_messages WHERE session_id = $1 ORDER BY created_at DESC LIMIT $2';
    const rows = await this.#db.rows<Pick<Row, 'id'>>(sql, [session_id, limit]);
    return rows.map(({ id }) => id).reverse();
  }

  /** Those of the latest of a session that are being written, oldest first. */
  async underWay(session_id: string, limit: number): Promise<StoredMessage[]> {
    const rows = await this.#db.rows<Row>(
      `${whole} WHERE id IN (SELECT id FROM
         (SELECT id, status FROM chat_messages WHERE session_id = $1 ORDER BY created_at DESC LIMIT $2) AS latest WHERE status = 'streaming')
       ORDER BY created_at`,
      [session_id, limit],
    );
    return rows.map(toStored);
  }

  /**
   * The latest of a session as a conversation is told, oldest first: from the newest on they are whole while they have at most
   * {@link max_told} together, and the one that is asked always; of each before them there are the two ends of its text.
   */
  async told(session_id: string, { asked, limit }: { asked: string; limit: number }): Promise<Message[]> {
    const missing = `length(content) - ${told_start + told_end}`;
    const rows = await this.#db.rows<Row>(
      `SELECT ${light},
         CASE WHEN total <= ${max_told} OR id = $3 OR ${missing} <= 0 THEN content
           ELSE substr(content, 1, ${told_start}) || '\n[… ' || (${missing}) || ' characters are left out here …]\n'
             || substr(content, length(content) - ${told_end - 1}) END AS content,
         CASE WHEN total <= ${max_told} THEN tool_calls ELSE '[]' END AS tool_calls
       FROM (${weighed('')}) AS w CROSS JOIN chat_messages WHERE id = weighed_id ORDER BY created_at`,
      [session_id, limit, asked],
    );
    return rows.map(toMessage);
  }

  async find(id: string): Promise<StoredMessage | undefined> {
    const [row] = await this.#db.rows<Row>(`${whole} WHERE id = $1`, [id]);
    return row && toStored(row);
  }

  /** The same for readers, of whom many ask at one moment: when a reply ends each of them wants it. In no transaction. */
  shown(id: string): Promise<StoredMessage | undefined> {
    return this.#looks.do(id);
  }

  async #all(ids: readonly string[]): Promise<(StoredMessage | undefined)[]> {
    const wanted = [...new Set(ids)];
    const rows = await this.#db.rows<Row>(`${whole} WHERE id IN (${placeholders(wanted)})`, wanted);
    const found = new Map(rows.map((row) => [row.id, toStored(row)]));
    return ids.map((id) => found.get(id));
  }

  /** Those of these numbers that the member sees, the latest stored first, and how many bytes their texts and tool calls have. */
  async numbered(numbers: readonly number[], member_id: number): Promise<{ message: Message; size: number }[]> {
    const rows = await this.#db.rows<Row & { size: number }>(
      `SELECT m.*, octet_length(m.content) + octet_length(m.tool_calls) AS size FROM chat_messages m
         JOIN chat_participants p ON p.session_id = m.session_id AND p.member_id = $1 AND p.hidden = 0
       WHERE m.no IN (${placeholders(numbers, 2)}) ORDER BY m.no DESC`,
      [member_id, ...numbers],
    );
    return rows.map((row) => ({ message: toMessage(row), size: row.size }));
  }

  /** The texts that joined a task after a message of its session, oldest first. In no transaction. */
  joined({ id: task_id, session_id }: { id: string; session_id: string }, after: string): Promise<Message[]> {
    return this.#joins.do({ task_id, session_id, after });
  }

  async #joined(asked: readonly Joining[]): Promise<Message[][]> {
    const values: SqlValue[] = [];
    const among = asked.map(({ session_id, after, task_id }, at) => tuple(values, [session_id, after, task_id, at]));
    // The few that are asked for come first: SQLite would look through all messages for each of them.
    const rows = await this.#db.rows<Row & { asker: number | string }>(
      `SELECT m.*, v.column4 AS asker FROM (VALUES ${among.join()}) AS v CROSS JOIN chat_messages m
       WHERE m.session_id = v.column1 AND m.created_at > v.column2 AND m.task_id = v.column3 AND m.role = 'user' ORDER BY m.created_at`,
      values,
    );
    return asked.map((_one, at) => rows.filter(({ asker }) => Number(asker) === at).map(toMessage));
  }

  /** To be indexed by {@link index}, where its text is whole. */
  async insert(message: NewMessage): Promise<StoredMessage> {
    const [stored] = await this.insertAll([message]);
    return stored as StoredMessage;
  }

  /** The same of several, in their order. */
  async insertAll(messages: readonly NewMessage[]): Promise<StoredMessage[]> {
    if (messages.length === 0) return [];
    const values: SqlValue[] = [];
    const numbered = { table: 'chat_messages', column: 'no' };
    const rows = messages.map((message, at) => {
      const { id, session_id, role, sender_id, sender_name, content, images = [], image_bytes = 0 } = message;
      const { reply_to, task_id, status, seq, created_at } = message;
      const time = `$${values.push(created_at)}`;
      const sent = [id, session_id, role, sender_id, sender_name, content, JSON.stringify(images), image_bytes];
      const given = [...sent, reply_to, task_id, status, seq];
      return `(${given.map((value) => `$${values.push(value)}`).join()}, '[]', ${time}, ${time}, ${nextNumber(this.#db, { ...numbered, at })})`;
    });
    const stored = await this.#db.rows<Pick<Row, 'id' | 'no'>>(
      `INSERT INTO chat_messages (id, session_id, role, sender_id, sender_name, content, images, image_bytes, reply_to, task_id, status, seq,
         tool_calls, created_at, updated_at, no) VALUES ${rows.join()} RETURNING id, no`,
      values,
    );
    const numbers = new Map(stored.map(({ id, no }) => [id, Number(no)]));
    return messages.map((message) => {
      const { seq, images = [], image_bytes: _counted, created_at, ...record } = message;
      const made = {
        ...record,
        created_at,
        images: [...images],
        error: null,
        notices: [],
        usage: null,
        tool_calls: [],
        updated_at: created_at,
      };
      return { message: made, seq, no: numbers.get(message.id) as number };
    });
  }

  /** Has messages found by those who take part in their sessions. */
  async index(found: readonly { stored: StoredMessage; members: readonly number[] }[]): Promise<void> {
    const rows = found.map(({ stored: { message, no }, members }) => ({ ...message, no, members }));
    await this.#index.addAll(rows.filter(({ content }) => content !== ''));
  }

  /** Stores how far replies have come; nothing where one is no longer being written. Many in one statement: it is the calls that cost. */
  async add(replies: readonly { id: string; addition: Addition }[], now: string): Promise<void> {
    for (let start = 0; start < replies.length; start += at_once) {
      const values: SqlValue[] = [now];
      const rows = replies.slice(start, start + at_once).map(({ id, addition: { before, text, tool_calls, seq, usage } }) => {
        const tokens = [usage?.input_tokens ?? null, usage?.output_tokens ?? null];
        return tuple(values, [id, text, tool_calls, seq, ...tokens, before]);
      });
      await this.#db.run(
        `UPDATE chat_messages SET content = substr(content, 1, CAST(v.column7 AS INTEGER)) || v.column2, tool_calls = COALESCE(v.column3, tool_calls), seq = CAST(v.column4 AS INTEGER),
           updated_at = $1, input_tokens = CAST(v.column5 AS INTEGER), output_tokens = CAST(v.column6 AS INTEGER)
         FROM (VALUES ${rows.join()}) AS v WHERE chat_messages.id = v.column1 AND status = 'streaming'`,
        values,
      );
    }
  }

  /** Ends replies; gives those that were being written, by their ids. To be indexed by {@link index}. */
  async finish(endings: readonly Ending[], now: string): Promise<ReadonlyMap<string, StoredMessage>> {
    const values: SqlValue[] = [now];
    const rows = endings.map(({ id, content, tool_calls, seq, status, error, usage, notices }) => {
      const tokens = [usage?.input_tokens ?? null, usage?.output_tokens ?? null];
      return tuple(values, [id, content, tool_calls, seq, status, error && JSON.stringify(error), ...tokens, JSON.stringify(notices)]);
    });
    const ended = await this.#db.rows<Row>(
      `UPDATE chat_messages SET content = v.column2, tool_calls = v.column3, seq = CAST(v.column4 AS INTEGER), status = v.column5,
         error = v.column6, input_tokens = CAST(v.column7 AS INTEGER), output_tokens = CAST(v.column8 AS INTEGER), notices = v.column9, updated_at = $1
       FROM (VALUES ${rows.join()}) AS v WHERE chat_messages.id = v.column1 AND chat_messages.status = 'streaming' RETURNING ${columns}`,
      values,
    );
    return new Map(ended.map((row) => [row.id, toStored(row)]));
  }

  /** Ends a reply as it was last stored; gives it, where it was being written. */
  async interrupt(id: string, error: Fault, now: string): Promise<StoredMessage | undefined> {
    const [row] = await this.#db.rows<Row>(
      `UPDATE chat_messages SET status = 'failed', error = $1, updated_at = $2 WHERE id = $3 AND status = 'streaming' RETURNING *`,
      [JSON.stringify(error), now, id],
    );
    return row && toStored(row);
  }

  /** What the member wrote stays with its partners, without a name. */
  async disown(member_id: number): Promise<void> {
    await this.#db.run(
      `UPDATE chat_messages SET sender_id = NULL, sender_name = 'Deleted member' WHERE sender_id = $1
         AND session_id IN (SELECT session_id FROM chat_participants WHERE member_id = $1)`,
      [member_id],
    );
  }

  async deleteOf(sessions: readonly string[]): Promise<void> {
    await this.#index.deleteOf(sessions);
    await this.#db.run(`DELETE FROM chat_messages WHERE session_id IN (${placeholders(sessions)})`, sessions);
  }
}

/**
 * The latest `$2` messages of session `$1`: the size of each in bytes, and that of it and all after it. Sizes are known without reading
 * the texts. To be joined by CROSS JOIN: SQLite might look through all messages for these few.
 */
function weighed(where: string): string {
  return `SELECT weighed_id, size, sum(size) OVER (ORDER BY weighed_at DESC) AS total FROM (
    SELECT id AS weighed_id, created_at AS weighed_at, octet_length(content) + octet_length(tool_calls) AS size FROM chat_messages
    WHERE session_id = $1 ${where} ORDER BY created_at DESC LIMIT $2) AS latest`;
}

function toStored(row: Row): StoredMessage {
  return { message: toMessage(row), seq: row.seq, no: Number(row.no) };
}

function toMessage(row: Row): Message {
  return {
    id: row.id,
    session_id: row.session_id,
    role: row.role,
    sender_id: row.sender_id,
    sender_name: row.sender_name,
    content: row.content,
    images: list<Image>(row.images),
    reply_to: row.reply_to,
    task_id: row.task_id,
    status: row.status,
    error: row.error === null ? null : (JSON.parse(row.error) as Fault),
    notices: list<Fault>(row.notices),
    usage: usageOf(row),
    tool_calls: list<ToolCall>(row.tool_calls),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function list<Item>(json: string): Item[] {
  return json === '[]' ? [] : (JSON.parse(json) as Item[]);
}

function usageOf({ input_tokens, output_tokens }: Row): Usage | null {
  return input_tokens === null || output_tokens === null ? null : { input_tokens, output_tokens };
}
