import { contains, type Database, Op } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import { type StoredMember, withoutInternal } from './members.js';
import { searchable } from './names.js';

export interface Filter {
  keyword: string;
  /** Full user name, in any case. */
  username?: string | undefined;
  is_virtual: boolean | undefined;
  active: boolean | undefined;
  limit: number;
  offset: number;
}

export interface NameFilter {
  keyword: string;
  /** Ids to exclude; any number. */
  except: readonly number[];
  limit: number;
  offset: number;
}

/** Lists members at nearly constant cost; only a search for a part of a name scans all of them. */
export class Directory {
  readonly #db: Database;
  readonly #model: Models['members'];

  constructor(db: Database, model: Models['members']) {
    this.#db = db;
    this.#model = model;
  }

  /** Returns a page by id, and the number of matches. */
  async page({ keyword, username, is_virtual, active, limit, offset }: Filter): Promise<{ items: StoredMember[]; total: number }> {
    const where = [
      ...this.#named(keyword),
      ...(username === undefined ? [] : [{ username_key: username.toLowerCase() }]),
      ...(is_virtual === undefined ? [] : [{ is_virtual }]),
      ...(active === undefined ? [] : [{ active }]),
    ];
    const isPeople = where.length === 1 && is_virtual === false;
    const [items, total] = await Promise.all([
      this.#model.findAll({ ...withoutInternal, where, order: ['id'], limit, offset }),
      // With an empty condition SQLite would read all rows.
      isPeople ? this.#people() : this.#model.count(where.length === 0 ? {} : { where }),
    ]);
    return { items, total };
  }

  /** Returns a page by name, without plugins' members. */
  byName({ keyword, except, limit, offset }: NameFilter): Promise<StoredMember[]> {
    const where = [{ id: { [Op.notIn]: [...except] }, plugin: null }, ...this.#named(keyword)];
    return this.#model.findAll({ ...withoutInternal, where, order: ['name_key', 'id'], limit, offset });
  }

  /** Returns those of the ids whose names contain the keyword. */
  async matching(ids: readonly number[], keyword: string): Promise<Set<number>> {
    const found = await this.#model.findAll({ attributes: ['id'], where: [{ id: [...ids] }, ...this.#named(keyword)], raw: true });
    return new Set(found.map(({ id }) => id));
  }

  #named(keyword: string) {
    return keyword === '' ? [] : [contains(this.#db, 'search', searchable(keyword))];
  }

  /** Counts people as the difference: SQLite counts a whole table without reading its rows, and AI employees are few. */
  async #people(): Promise<number> {
    const [all, virtuals] = await Promise.all([this.#model.count(), this.#model.count({ where: { is_virtual: true } })]);
    return all - virtuals;
  }
}
