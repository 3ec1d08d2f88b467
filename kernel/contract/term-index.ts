import type { Database, SqlValue } from './data.js';

/** An indexed document: its number, and its terms separated by spaces. */
export interface IndexedTerms {
  no: number;
  terms: string;
}

/** A search for documents. */
export interface TermLookup {
  /** Queries of {@link TermIndex.query}, which run in this order until there are enough results. The first ones should match the largest numbers. */
  queries: readonly string[];
  /** Finds only numbers smaller than this. */
  before: number;
  limit: number;
  /** Additional condition on the column of the numbers, with the value of its only placeholder, `$4`. */
  only?: { sql: (no: string) => string; value: SqlValue } | undefined;
}

/**
 * An index that finds documents by terms, which consist of letters, digits and `_` and which the caller has prepared. A migration creates its
 * table:
 * `CREATE VIRTUAL TABLE … USING fts5 (terms, columnsize = 0, detail = column, …)` on SQLite, with FTS5's option `secure-delete` so that deletion
 * leaves no term behind; and on PostgreSQL `no BIGINT PRIMARY KEY, terms TSVECTOR` with a GIN index.
 */
export interface TermIndex {
  /** Column of the documents' numbers. */
  readonly key: string;
  /** Stores documents, replacing those with the same numbers. */
  put(rows: readonly IndexedTerms[]): Promise<void>;
  /** Returns a query for documents that have all these terms and, for each prefix, a term that begins with it. */
  query(terms: readonly string[], beginnings: readonly string[]): string;
  /** Returns a query for documents that match at least one of these queries; there must be one. */
  any(queries: readonly string[]): string;
  /** Returns the numbers of documents that match one of the queries, for each query the largest first. Stops at the limit. */
  find(lookup: TermLookup): Promise<number[]>;
}

/** Returns the index in a table. */
export function termIndex(db: Database, table: string): TermIndex {
  return db.dialect === 'sqlite' ? new Fts5Index(db, table) : new GinIndex(db, table);
}

/** Numbers of queries that are combined into one statement, growing with each: the first ones often suffice. */
const group_sizes = [1, 4, 16, 64];

class Fts5Index implements TermIndex {
  readonly key = 'rowid';
  readonly #db: Database;
  readonly #table: string;

  constructor(db: Database, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async put(rows: readonly IndexedTerms[]): Promise<void> {
    if (rows.length === 0) return;
    const listed = rows.map((_row, at) => `($${at * 2 + 1}, $${at * 2 + 2})`);
    await this.#db.run(`INSERT OR REPLACE INTO ${this.#table} (rowid, terms) VALUES ${listed.join()}`, valuesOf(rows));
  }

  query(terms: readonly string[], beginnings: readonly string[]): string {
    return [...terms.map((term) => `"${term}"`), ...beginnings.map((term) => `"${term}" *`)].join(' AND ');
  }

  any(queries: readonly string[]): string {
    return queries.length === 1 ? (queries[0] as string) : queries.map((query) => `(${query})`).join(' OR ');
  }

  async find({ queries, before, limit, only }: TermLookup): Promise<number[]> {
    const statement = this.#db.prepare<{ no: number }>(
      `SELECT f.rowid AS no FROM ${this.#table} f WHERE f.${this.#table} MATCH $1 AND f.rowid < $2 ${only ? `AND ${only.sql('f.rowid')}` : ''}
       ORDER BY f.rowid DESC LIMIT $3`,
    );
    const rest = only ? [only.value] : [];
    const found: number[] = [];
    for (let start = 0, turn = 0; start < queries.length && found.length < limit; turn += 1) {
      const size = group_sizes[Math.min(turn, group_sizes.length - 1)] as number;
      const any = queries.slice(start, start + size).map((query) => `(${query})`);
      for (const { no } of await statement.all(any.join(' OR '), before, limit - found.length, ...rest)) found.push(no);
      start += size;
    }
    return found;
  }
}

class GinIndex implements TermIndex {
  readonly key = 'no';
  readonly #db: Database;
  readonly #table: string;

  constructor(db: Database, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async put(rows: readonly IndexedTerms[]): Promise<void> {
    if (rows.length === 0) return;
    const listed = rows.map((_row, at) => `($${at * 2 + 1}::bigint, array_to_tsvector(string_to_array($${at * 2 + 2}, ' ')))`);
    const sql = `INSERT INTO ${this.#table} (no, terms) VALUES ${listed.join()} ON CONFLICT (no) DO UPDATE SET terms = excluded.terms`;
    await this.#db.run(sql, valuesOf(rows));
  }

  query(terms: readonly string[], beginnings: readonly string[]): string {
    return [...terms.map((term) => `'${term}'`), ...beginnings.map((term) => `'${term}':*`)].join(' & ');
  }

  /** Without spaces around `|`, by which {@link find} separates queries. */
  any(queries: readonly string[]): string {
    return queries.length === 1 ? (queries[0] as string) : queries.map((query) => `(${query})`).join('|');
  }

  /**
   * Runs one query after the other until there are enough results. `c.no + 0` keeps the planner from scanning the index of the numbers
   * instead of that of the terms.
   */
  async find({ queries, before, limit, only }: TermLookup): Promise<number[]> {
    const rows = await this.#db.rows<{ no: number }>(
      `SELECT f.no FROM unnest(string_to_array($1, ' | ')) AS s (query) CROSS JOIN LATERAL (
         SELECT c.no FROM ${this.#table} c WHERE c.terms @@ s.query::tsquery AND c.no + 0 < $2 ${only ? `AND ${only.sql('c.no')}` : ''}
         ORDER BY c.no + 0 DESC LIMIT $3) f LIMIT $3`,
      [queries.join(' | '), before, limit, ...(only ? [only.value] : [])],
    );
    return rows.map(({ no }) => no);
  }
}

function valuesOf(rows: readonly IndexedTerms[]): SqlValue[] {
  return rows.flatMap(({ no, terms }) => [no, terms]);
}
