import { type Database, placeholders, skipLocked, type TermIndex, termIndex } from '../../../kernel/contract/index.js';
import type { MessageRow } from '../models.js';
import type { QueryTerms } from '../search/query.js';
import { termsOf } from '../search/terms.js';

/** Indexed part of a message; its `content` has the names of its files too. */
export interface Indexed extends Pick<MessageRow, 'no' | 'session_id' | 'content'> {
  /** Members of the session; for a room its number instead, so that a message costs the same in all rooms. */
  readers: { ids: readonly number[]; room_no?: number };
}

export interface Lookup {
  wanted: QueryTerms;
  member_id: number;
  /** Numbers of the rooms to search. */
  rooms: readonly number[];
  /** Searches only this session, which the member must see. */
  session_id?: string | undefined;
  /** Searches only messages with a smaller number. */
  before: number;
  limit: number;
}

/** Message numbers per section of the index. */
const section_size = 16_384;

/**
 * Access to table `chat_search`, a full-text index of prepared terms. It needs a fraction of the space and the writes of a plain table with a
 * row per term.
 *
 * A term begins with the member who may see it, or the room (`_r5`), and a section of message numbers (`12_3_word`); the messages of a session have
 * the term `_<session id>`. So a search reads no data of others, and one with many results ends within the newest section: neither database returns
 * matches of a prefix in order.
 */
export class SearchIndex {
  readonly #db: Database;
  readonly #terms: TermIndex;

  constructor(db: Database) {
    this.#db = db;
    this.#terms = termIndex(db, 'chat_search');
  }

  /** Adds messages; replaces rows with the same numbers. */
  addAll(messages: readonly Indexed[]): Promise<void> {
    return this.#terms.put(messages.map((message) => ({ no: message.no, terms: rowOf(message) })));
  }

  /**
   * Queues the messages of sessions for {@link removeQueued}. Runs before the messages themselves are removed. SQL text, because the numbers
   * need not leave the database.
   */
  async deleteOf(sessions: readonly string[]): Promise<void> {
    const numbers = `SELECT no FROM chat_messages WHERE session_id IN (${placeholders(sessions)})`;
    await this.#db.run(`INSERT INTO chat_search_removals (no) ${numbers}`, sessions);
  }

  /** Removes queued messages within the current transaction, and returns their number. SQL text, because no model describes the index. */
  async removeQueued(limit: number): Promise<number> {
    const sql = `SELECT no FROM chat_search_removals ORDER BY no LIMIT ${limit} ${skipLocked(this.#db)}`;
    const numbers = (await this.#db.rows<{ no: number }>(sql)).map(({ no }) => no);
    if (numbers.length === 0) return 0;
    const listed = placeholders(numbers);
    await this.#db.run(`DELETE FROM chat_search WHERE ${this.#terms.key} IN (${listed})`, numbers);
    await this.#db.run(`DELETE FROM chat_search_removals WHERE no IN (${listed})`, numbers);
    return numbers.length;
  }

  /** Removes a message from the search index, whose table no model describes. */
  async delete(no: number): Promise<void> {
    await this.#db.run(`DELETE FROM chat_search WHERE ${this.#terms.key} = $1`, [no]);
  }

  /** Returns the numbers of messages with the terms, newest first. */
  async find(lookup: Lookup): Promise<number[]> {
    const { session_id, member_id, before, limit } = lookup;
    const { first, last } = await this.#sections(lookup);
    const queries: string[] = [];
    for (let section = last; section >= first; section -= 1) queries.push(this.#query(lookup, section));
    if (queries.length === 0) return [];
    const among = session_id === undefined && (await this.#hides(member_id));
    return this.#terms.find({ queries, before, limit, only: among ? { sql: seenByMember, value: member_id } : undefined });
  }

  /** Reads the range of sections of a search. Benchmark row `search`: each search. */
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

  /** Returns whether the member has hidden sessions, whose messages are left out. Benchmark row `search`: each search. */
  async #hides(member_id: number): Promise<boolean> {
    const sql = 'SELECT 1 AS hidden FROM chat_participants WHERE member_id = $1 AND hidden = 1 LIMIT 1';
    return (await this.#db.rows(sql, [member_id])).length > 0;
  }

  #query({ wanted, member_id, rooms, session_id }: Lookup, section: number): string {
    // A session is searched as its room, or as a conversation of its member.
    const readers = [...(session_id !== undefined && rooms.length > 0 ? [] : [keyOf(member_id, section)])];
    readers.push(...rooms.map((room_no) => roomKey(room_no, section)));
    const queries = readers.map((key) => {
      const exact = wanted.exact.map((term) => key + term);
      if (session_id !== undefined) exact.push(sessionTerm(session_id));
      return this.#terms.query(
        exact,
        wanted.prefixes.map((term) => key + term),
      );
    });
    return this.#terms.any(queries);
  }
}

/** Returns a condition that excludes hidden sessions within the query of the index, before its limit. `$4` is the member. */
function seenByMember(no: string): string {
  return `(SELECT p.hidden FROM chat_messages m JOIN chat_participants p ON p.session_id = m.session_id AND p.member_id = $4
    WHERE m.no = ${no}) = 0`;
}

/** Returns the terms of a message's row. */
function rowOf({ no, session_id, readers: { ids, room_no }, content }: Indexed): string {
  const section = Math.floor(no / section_size);
  const keys = room_no === undefined ? ids.map((member_id) => keyOf(member_id, section)) : [roomKey(room_no, section)];
  const terms = termsOf(content, keys.length);
  return [sessionTerm(session_id), ...keys.flatMap((key) => terms.map((term) => key + term))].join(' ');
}

function keyOf(member_id: number, section: number): string {
  return `${member_id.toString(36)}_${section.toString(36)}_`;
}

function roomKey(room_no: number, section: number): string {
  return `_r${room_no.toString(36)}_${section.toString(36)}_`;
}

function sessionTerm(session_id: string): string {
  return `_${session_id.replaceAll('-', '')}`;
}
