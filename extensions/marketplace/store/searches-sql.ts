import { byCodePoint, type Database, type SqlValue } from '../../../kernel/contract/index.js';
import type { ExtensionType } from '../contract.js';
import type { Models } from '../models.js';
import { type ListedRow, listedColumns, type StoredVersion, toVersion } from './version-row.js';

/** Conditions, all of which must hold. */
export interface SearchFilter {
  words: readonly string[];
  type: ExtensionType | undefined;
  category: string | undefined;
  tags: readonly string[];
}

/** Newest approved version of an extension. */
export interface SearchMatch {
  version: StoredVersion;
  downloads: number;
}

/** Searches extensions by the metadata of their newest approved versions. */
export class Searches {
  readonly #db: Database;
  readonly #model: Models['versions'];

  constructor(db: Database, model: Models['versions']) {
    this.#db = db;
    this.#model = model;
  }

  /** Returns a page, the most installed first. Searches two tables, sorted by the same rules on both databases. */
  async page(wanted: SearchFilter, { limit, offset }: { limit: number; offset: number }): Promise<{ hits: SearchMatch[]; total: number }> {
    const values: SqlValue[] = [];
    const where = conditions(wanted, values).join(' AND ');
    const from = 'FROM marketplace_versions v JOIN marketplace_extensions e ON e.id = v.id';
    const [count] = await this.#db.rows<{ total: number }>(`SELECT count(*) AS total ${from} WHERE ${where}`, values);
    const rows = await this.#db.rows<ListedRow & { downloads: number }>(
      `SELECT ${listedColumns.map((name) => `v.${name}`).join(', ')}, e.downloads ${from} WHERE ${where}
       ORDER BY e.downloads DESC, ${byCodePoint(this.#db, 'v.id')} LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`,
      values,
      { model: this.#model },
    );
    return { hits: rows.map((row) => ({ version: toVersion(row), downloads: row.downloads })), total: count?.total ?? 0 };
  }
}

function conditions({ words, type, category, tags }: SearchFilter, values: SqlValue[]): string[] {
  const like = (column: string, text: string) => `${column} LIKE $${values.push(`%${escaped(text.toLowerCase())}%`)} ESCAPE '!'`;
  const wanted = ['v.newest = 1', ...words.map((word) => like('v.search', word)), ...tags.map((tag) => like('v.tags', `,${tag},`))];
  if (type !== undefined) wanted.push(`e.type = $${values.push(type)}`);
  if (category !== undefined) wanted.push(`v.category = $${values.push(category)}`);
  return wanted;
}

function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}
