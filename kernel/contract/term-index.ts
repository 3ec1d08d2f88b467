import type { Database, SqlValue } from './data.js';

/** A document of the index: its number, and its terms, separated by spaces. */
export interface IndexedTerms {
  no: number;
  terms: string;
}

export interface TermLookup {
  /** Queries of {@link TermIndex.query}, in the order in which they are asked. Those that come first should match the larger numbers. */
  queries: readonly string[];
  /** Only smaller numbers. */
  before: number;
  limit: number;
  /** One more condition, on the column of the numbers, and the value of its only placeholder, `$4`. */
  only?: { sql: (no: string) => string; value: SqlValue } | undefined;
}

/**
 * An index of ready-made terms, which are letters, digits and `_`: which numbers have a term. A migration makes its table:
 * `CREATE VIRTUAL TABLE … USING fts5 (terms, …)` on SQLite, and on PostgreSQL `no BIGINT PRIMARY KEY, terms TSVECTOR` with a GIN index.
 */
export interface TermIndex {
  /** The column of the numbers. */
  readonly key: string;
  /** Replaces what is stored under these numbers. */
  put(rows: readonly IndexedTerms[]): Promise<void>;
  /** Makes a query that matches what has all of these terms, and terms that begin with all of these. */
  query(terms: readonly string[], beginnings: readonly string[]): string;
  /** The numbers that one of the queries matches, the largest of a query first. Ends as soon as there are enough. */
  find(lookup: TermLookup): Promise<number[]>;
}

/** The index in the table of this name. */
export function termIndex(db: Database, table: string): TermIndex {
  return db.dialect === 'sqlite' ? new Fts5Index(db, table) : new GinIndex(db, table);
}

/** How many queries are asked at once, where asking takes no time. */
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

  /** One query after the other, until there is enough. The sum keeps the planner from walking along the numbers instead. */
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
