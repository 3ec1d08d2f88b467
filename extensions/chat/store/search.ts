import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import type { Wanted } from '../search/query.js';
import { termsOf } from '../search/terms.js';
import { places } from './places.js';

/** What the index takes of a message. */
export interface Indexed {
  no: number;
  session_id: string;
  /** Those who take part in the session. */
  members: readonly number[];
  content: string;
}

export interface Lookup {
  wanted: Wanted;
  member_id: number;
  /** Only in this session, which the member sees. */
  session_id?: string | undefined;
  /** Only messages with a smaller number. */
  before: number;
  limit: number;
}

/** So many messages' numbers make a section of the index. */
const section_size = 16_384;
/** How many sections are asked at once, from the newest on, where asking takes no time. */
const group_sizes = [1, 4, 16, 64];

/**
 * Table `chat_search`: which messages have a term. FTS5 on SQLite and GIN on PostgreSQL, both as an
 * index of ready-made terms: they need a tenth of the space and of the writes that a table of our own
 * with a row for each term does.
 *
 * A term begins with the member who may see it and a section of message numbers (`12_3_word`), and what
 * a session has is under `_<session id>`. So a look reads nothing that others wrote, and where there is
 * much to find it ends within the newest section: neither index gives what starts alike in order.
 */
export class SearchIndex {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Takes the place of what is there under the same numbers. */
  async addAll(messages: readonly Indexed[]): Promise<void> {
    const values = messages.flatMap((message): SqlValue[] => [message.no, rowOf(message)]);
    if (values.length === 0) return;
    const rows = messages.map((_message, index) => [`$${index * 2 + 1}`, `$${index * 2 + 2}`] as const);
    if (this.#db.dialect === 'sqlite') {
      await this.#db.run(`INSERT OR REPLACE INTO chat_search (rowid, terms) VALUES ${rows.map((row) => `(${row.join()})`).join()}`, values);
      return;
    }
    const vectors = rows.map(([no, terms]) => `(${no}::bigint, array_to_tsvector(string_to_array(${terms}, ' ')))`);
    await this.#db.run(
      `INSERT INTO chat_search (no, terms) VALUES ${vectors.join()} ON CONFLICT (no) DO UPDATE SET terms = excluded.terms`,
      values,
    );
  }

  /** Before the messages themselves are removed. */
  async deleteOf(sessions: readonly string[]): Promise<void> {
    const no = this.#db.dialect === 'sqlite' ? 'rowid' : 'no';
    await this.#db.run(
      `DELETE FROM chat_search WHERE ${no} IN (SELECT no FROM chat_messages WHERE session_id IN (${places(sessions)}))`,
      sessions,
    );
  }

  /** Numbers of messages that have the terms, the newest first. */
  async find(lookup: Lookup): Promise<number[]> {
    const { first, last } = await this.#sections(lookup);
    const queries: string[] = [];
    for (let section = last; section >= first; section -= 1) queries.push(this.#query(lookup, section));
    if (queries.length === 0) return [];
    const among = lookup.session_id === undefined && (await this.#hides(lookup.member_id));
    return this.#db.dialect === 'sqlite' ? this.#inSqlite(lookup, queries, among) : this.#inPostgres(lookup, queries, among);
  }

  /** Which sections the messages are in that may be found. */
  async #sections({ session_id, before }: Lookup): Promise<{ first: number; last: number }> {
    const ends =
      session_id === undefined
        ? 'SELECT 0 AS first, max(no) AS last FROM chat_messages'
        : `SELECT (SELECT no FROM chat_messages WHERE session_id = $1 ORDER BY created_at LIMIT 1) AS first,
             (SELECT no FROM chat_messages WHERE session_id = $1 ORDER BY created_at DESC LIMIT 1) AS last`;
    const [row] = await this.#db.rows<{ first: number | string | null; last: number | string | null }>(
      ends,
      session_id === undefined ? [] : [session_id],
    );
    const last = Math.min(Number(row?.last ?? 0), before - 1);
    return { first: Math.floor(Number(row?.first ?? 0) / section_size), last: Math.floor(last / section_size) };
  }

  /** Whether the member has hidden sessions, whose messages are left out. */
  async #hides(member_id: number): Promise<boolean> {
    return (
      (await this.#db.rows('SELECT 1 AS hidden FROM chat_participants WHERE member_id = $1 AND hidden = 1 LIMIT 1', [member_id])).length > 0
    );
  }

  #query({ wanted, member_id, session_id }: Lookup, section: number): string {
    const key = keyOf(member_id, section);
    const exact = wanted.exact.map((term) => key + term);
    if (session_id !== undefined) exact.push(sessionTerm(session_id));
    const prefixes = wanted.prefixes.map((term) => key + term);
    if (this.#db.dialect === 'sqlite') return [...exact.map((term) => `"${term}"`), ...prefixes.map((term) => `"${term}" *`)].join(' AND ');
    return [...exact.map((term) => `'${term}'`), ...prefixes.map((term) => `'${term}':*`)].join(' & ');
  }

  async #inSqlite({ before, limit, member_id }: Lookup, queries: readonly string[], among: boolean): Promise<number[]> {
    const statement = this.#db.prepare<{ no: number }>(
      `SELECT f.rowid AS no FROM chat_search f WHERE f.chat_search MATCH $1 AND f.rowid < $2 ${among ? seenBy('f.rowid', '$4') : ''}
       ORDER BY f.rowid DESC LIMIT $3`,
    );
    const found: number[] = [];
    for (let start = 0, turn = 0; start < queries.length && found.length < limit; turn += 1) {
      const size = group_sizes[Math.min(turn, group_sizes.length - 1)] as number;
      const any = queries.slice(start, start + size).map((query) => `(${query})`);
      const rest = among ? [member_id] : [];
      for (const { no } of await statement.all(any.join(' OR '), before, limit - found.length, ...rest)) found.push(no);
      start += size;
    }
    return found;
  }

  /** Section after section, until there is enough. The sum keeps the planner from walking along the numbers instead. */
  async #inPostgres({ before, limit, member_id }: Lookup, queries: readonly string[], among: boolean): Promise<number[]> {
    const rows = await this.#db.rows<{ no: string }>(
      `SELECT f.no FROM unnest(string_to_array($1, ' | ')) AS s (query) CROSS JOIN LATERAL (
         SELECT c.no FROM chat_search c WHERE c.terms @@ s.query::tsquery AND c.no + 0 < $2 ${among ? seenBy('c.no', '$4') : ''}
         ORDER BY c.no + 0 DESC LIMIT $3) f LIMIT $3`,
      [queries.join(' | '), before, limit, ...(among ? [member_id] : [])],
    );
    return rows.map(({ no }) => Number(no));
  }
}

function seenBy(no: string, member: string): string {
  return `AND (SELECT p.hidden FROM chat_messages m JOIN chat_participants p ON p.session_id = m.session_id AND p.member_id = ${member}
    WHERE m.no = ${no}) = 0`;
}

/** The terms of a message's row. */
function rowOf({ no, session_id, members, content }: Indexed): string {
  const keys = members.map((member_id) => keyOf(member_id, Math.floor(no / section_size)));
  const terms = termsOf(content, keys.length);
  return [sessionTerm(session_id), ...keys.flatMap((key) => terms.map((term) => key + term))].join(' ');
}

function keyOf(member_id: number, section: number): string {
  return `${member_id.toString(36)}_${section.toString(36)}_`;
}

function sessionTerm(session_id: string): string {
  return `_${session_id.replaceAll('-', '')}`;
}
