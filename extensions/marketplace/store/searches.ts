import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import type { ExtensionType } from '../contract.js';
import { listed } from './listed.js';
import { columns, type Row, type StoredVersion, toVersion } from './version-row.js';

/** What is looked for: all of it. */
export interface Wanted {
  words: readonly string[];
  type: ExtensionType | undefined;
  category: string | undefined;
  tags: readonly string[];
}

/** The newest approved version of an extension. */
export interface Hit {
  version: StoredVersion;
  downloads: number;
}

/** Finds extensions by what their newest approved versions say of themselves. */
export class Searches {
  readonly #db: Database;
  readonly #byId: string;

  constructor(db: Database) {
    this.#db = db;
    // The same order on both databases, whatever the language of the one.
    this.#byId = db.dialect === 'postgres' ? 'v.id COLLATE "C"' : 'v.id';
  }

  /** The most installed first. */
  async page(wanted: Wanted, { limit, offset }: { limit: number; offset: number }): Promise<{ hits: Hit[]; total: number }> {
    const values: SqlValue[] = [];
    const where = conditions(wanted, values).join(' AND ');
    const from = 'FROM marketplace_versions v JOIN marketplace_extensions e ON e.id = v.id';
    const [count] = await this.#db.rows<{ total: number | string }>(`SELECT count(*) AS total ${from} WHERE ${where}`, values);
    const rows = await this.#db.rows<Row & { downloads: number }>(
      `SELECT ${columns}, e.downloads ${from} WHERE ${where}
       ORDER BY e.downloads DESC, ${this.#byId} LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`,
      values,
    );
    return { hits: rows.map((row) => ({ version: toVersion(row), downloads: row.downloads })), total: Number(count?.total ?? 0) };
  }

  /** Those of the ids that belong to this platform or to a source already: what a source has under them isn't shown. */
  async taken(ids: readonly string[]): Promise<Set<string>> {
    const sql = `SELECT DISTINCT id FROM marketplace_versions WHERE status <> 'rejected' AND id IN (SELECT value FROM ${listed(this.#db)})`;
    return new Set((await this.#db.rows<{ id: string }>(sql, [JSON.stringify(ids)])).map(({ id }) => id));
  }
}

function conditions({ words, type, category, tags }: Wanted, values: SqlValue[]): string[] {
  const like = (column: string, text: string) => `${column} LIKE $${values.push(`%${escaped(text.toLowerCase())}%`)} ESCAPE '!'`;
  const wanted = ['v.newest = 1', ...words.map((word) => like('v.search', word)), ...tags.map((tag) => like('v.tags', `,${tag},`))];
  if (type !== undefined) wanted.push(`e.type = $${values.push(type)}`);
  if (category !== undefined) wanted.push(`v.category = $${values.push(category)}`);
  return wanted;
}

function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}
