import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import { fields, type StoredMember, stored } from './members.js';
import { nameKeyOf, patternOf } from './names.js';
import { placeholders, read } from './sql.js';

export interface Filter {
  keyword: string;
  /** The whole of it, in any case. */
  username?: string | undefined;
  is_virtual: boolean | undefined;
  active: boolean | undefined;
  limit: number;
  offset: number;
}

export interface NameFilter {
  keyword: string;
  /** Ids of those who are left out; any number. */
  except: readonly number[];
  limit: number;
  offset: number;
}

type Read = (...values: SqlValue[]) => Promise<object[]>;

const table = 'members_members';
const named = (place: number) => `search LIKE $${place} ESCAPE '!'`;
/** Of those whose key is still to be made, so many at once. */
const portion = 500;

/** Members in lists, at nearly the same cost however many there are; only a part of a name is looked for in all of them. */
export class Directory {
  readonly #db: Database;
  readonly #reads = new Map<string, Read>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** A page by id, and how many match in all. */
  async page({ keyword, username, is_virtual, active, limit, offset }: Filter): Promise<{ items: StoredMember[]; total: number }> {
    const values: SqlValue[] = [];
    const wanted: string[] = [];
    if (keyword !== '') wanted.push(named(values.push(patternOf(keyword))));
    if (username !== undefined) wanted.push(`username_key = $${values.push(username.toLowerCase())}`);
    if (is_virtual !== undefined) wanted.push(`is_virtual = $${values.push(is_virtual)}`);
    if (active !== undefined) wanted.push(`active = $${values.push(active)}`);
    const where = wanted.length > 0 ? `WHERE ${wanted.join(' AND ')}` : '';
    const part = `ORDER BY id LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
    const [items, total] = await Promise.all([
      this.#read<StoredMember>(`SELECT ${fields} FROM ${table} ${where} ${part}`, [...values, limit, offset]),
      keyword === '' && username === undefined && is_virtual === false && active === undefined
        ? this.#people()
        : this.#count(where, values),
    ]);
    return { items: items.map(stored), total };
  }

  /** A page by name, without plugins' own members. */
  async byName({ keyword, except, limit, offset }: NameFilter): Promise<StoredMember[]> {
    const values: SqlValue[] = [];
    const others = this.#db.dialect === 'postgres' ? '<> ALL (CAST($1 AS INTEGER[]))' : 'NOT IN (SELECT value FROM json_each($1))';
    values.push(this.#db.dialect === 'postgres' ? `{${except.join()}}` : JSON.stringify(except));
    const matching = keyword === '' ? '' : `AND ${named(values.push(patternOf(keyword)))}`;
    const part = `ORDER BY name_key, id LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`;
    return (
      await this.#read<StoredMember>(`SELECT ${fields} FROM ${table} WHERE id ${others} AND plugin IS NULL ${matching} ${part}`, values)
    ).map(stored);
  }

  /** The ids of those of the given members in whose names the keyword is. */
  async matching(ids: readonly number[], keyword: string): Promise<Set<number>> {
    const found = new Set<number>();
    for (let start = 0; start < ids.length; start += portion) {
      const some = ids.slice(start, start + portion);
      const sql = `SELECT id FROM ${table} WHERE ${named(1)} AND id IN (${placeholders(some.length, 2)})`;
      for (const { id } of await this.#db.rows<{ id: number }>(sql, [patternOf(keyword), ...some])) found.add(id);
    }
    return found;
  }

  /** Gives those of before what they are sorted by. */
  async completeKeys(): Promise<void> {
    const sql = `SELECT id, nickname FROM ${table} WHERE name_key IS NULL LIMIT ${portion}`;
    const without = () => this.#db.rows<{ id: number; nickname: string }>(sql);
    // In one statement for each portion: the extension's start waits for it, and has its limit.
    const keys =
      this.#db.dialect === 'postgres'
        ? 'jsonb_to_recordset($1::jsonb) AS made(id INTEGER, name_key TEXT)'
        : "(SELECT value ->> 'id' AS id, value ->> 'name_key' AS name_key FROM json_each($1)) AS made";
    const fill = `UPDATE ${table} SET name_key = made.name_key FROM ${keys} WHERE ${table}.id = made.id AND ${table}.name_key IS NULL`;
    for (let some = await without(); some.length > 0; some = await without())
      await this.#db.run(fill, [JSON.stringify(some.map(({ id, nickname }) => ({ id, name_key: nameKeyOf(nickname) })))]);
  }

  async #count(where: string, values: readonly SqlValue[]): Promise<number> {
    const [row] = await this.#read<{ total: number | string }>(`SELECT count(*) AS total FROM ${table} ${where}`, values);
    return Number(row?.total ?? 0);
  }

  /** SQLite counts a whole table without looking at its rows, if nothing but the count is asked for; the AI employees are few. */
  async #people(): Promise<number> {
    const [all, virtuals] = await Promise.all([this.#count('', []), this.#count('WHERE is_virtual = $1', [true])]);
    return all - virtuals;
  }

  /** The statements are few, and kept ready. */
  #read<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    const kept = this.#reads.get(sql) ?? read<object>(this.#db, sql);
    this.#reads.set(sql, kept);
    return kept(...values) as Promise<Row[]>;
  }
}
