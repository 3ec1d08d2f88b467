import { type Database, placeholders, type TermIndex, termIndex } from '../../../kernel/contract/index.js';
import type { MessageRow } from '../models.js';
import type { Wanted } from '../search/query.js';
import { termsOf } from '../search/terms.js';

/** The part of a message that is indexed. */
export interface Indexed extends Pick<MessageRow, 'no' | 'session_id' | 'content'> {
  /** Those who take part in the session. */
  members: readonly number[];
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

/** How many numbers of messages make a section of the index. */
const section_size = 16_384;

/**
 * Table `chat_search`: which messages have a term. An index of ready-made terms needs a tenth of the space and of the writes that a
 * table of our own with a row for each term does.
 *
 * A term begins with the member who may see it and a section of message numbers (`12_3_word`), and what
 * a session has is under `_<session id>`. So a search reads nothing that others wrote, and where there is
 * much to find it ends within the newest section: neither database gives terms that begin alike in order.
 */
export class SearchIndex {
  readonly #db: Database;
  readonly #terms: TermIndex;

  constructor(db: Database) {
    this.#db = db;
    this.#terms = termIndex(db, 'chat_search');
  }

  /** Replaces what is stored under the same numbers. */
  addAll(messages: readonly Indexed[]): Promise<void> {
    return this.#terms.put(messages.map((message) => ({ no: message.no, terms: rowOf(message) })));
  }

  /** Search index: no model describes its table. Runs before the messages themselves are removed. */
  async deleteOf(sessions: readonly string[]): Promise<void> {
    const numbers = `SELECT no FROM chat_messages WHERE session_id IN (${placeholders(sessions)})`;
    await this.#db.run(`DELETE FROM chat_search WHERE ${this.#terms.key} IN (${numbers})`, sessions);
  }

  /** Numbers of messages that have the terms, the newest first. */
  async find(lookup: Lookup): Promise<number[]> {
    const { session_id, member_id, before, limit } = lookup;
    const { first, last } = await this.#sections(lookup);
    const queries: string[] = [];
    for (let section = last; section >= first; section -= 1) queries.push(this.#query(lookup, section));
    if (queries.length === 0) return [];
    const among = session_id === undefined && (await this.#hides(member_id));
    return this.#terms.find({ queries, before, limit, only: among ? { sql: seenByMember, value: member_id } : undefined });
  }

  /** Benchmark row `search`: each search asks in which sections the messages are that it may find. */
  async #sections({ session_id, before }: Lookup): Promise<{ first: number; last: number }> {
    const ends =
      session_id === undefined
        ? 'SELECT 0 AS first, max(no) AS last FROM chat_messages'
        : `SELECT (SELECT no FROM chat_messages WHERE session_id = $1 ORDER BY created_at LIMIT 1) AS first,
             (SELECT no FROM chat_messages WHERE session_id = $1 ORDER BY created_at DESC LIMIT 1) AS last`;
    const [row] = await this.#db.rows<{ first: number | null; last: number | null }>(ends, session_id === undefined ? [] : [session_id]);
    const last = Math.min(row?.last ?? 0, before - 1);
    return { first: Math.floor((row?.first ?? 0) / section_size), last: Math.floor(last / section_size) };
  }

  /** Benchmark row `search`: each search asks whether the member has hidden sessions, whose messages are left out. */
  async #hides(member_id: number): Promise<boolean> {
    const sql = 'SELECT 1 AS hidden FROM chat_participants WHERE member_id = $1 AND hidden = 1 LIMIT 1';
    return (await this.#db.rows(sql, [member_id])).length > 0;
  }

  #query({ wanted, member_id, session_id }: Lookup, section: number): string {
    const key = keyOf(member_id, section);
    const exact = wanted.exact.map((term) => key + term);
    if (session_id !== undefined) exact.push(sessionTerm(session_id));
    return this.#terms.query(
      exact,
      wanted.prefixes.map((term) => key + term),
    );
  }
}

/** Search index: part of its query, so that what is hidden is left out before it is counted. `$4` is the member. */
function seenByMember(no: string): string {
  return `(SELECT p.hidden FROM chat_messages m JOIN chat_participants p ON p.session_id = m.session_id AND p.member_id = $4
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
