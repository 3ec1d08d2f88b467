import type { Database } from '../../../kernel/contract/index.js';
import { type KeptSettings, usualLimits, usualSettings } from './profile.js';

interface Row {
  member_id: number;
  settings: string;
  updated_at: string;
}

interface LimitRow {
  member_id: number;
  tokens_per_day: number;
}

/** What is kept of an AI employee, and since when. */
export interface Kept {
  settings: KeptSettings;
  /** Null where nothing was ever changed. */
  updated_at: string | null;
}

export const usual: Kept = { settings: usualSettings, updated_at: null };

/** Table `agents_settings`. */
export class SettingsStore {
  readonly #db: Database;
  readonly #one;
  readonly #limit;

  constructor(db: Database) {
    this.#db = db;
    this.#one = db.prepare<Row>(select);
    this.#limit = db.prepare<LimitRow>(selectLimit);
  }

  async get(member_id: number): Promise<Kept> {
    const [row] = this.#db.inTransaction ? await this.#db.rows<Row>(select, [member_id]) : await this.#one.all(member_id);
    return keptOf(row);
  }

  /** Those that were ever changed. */
  async all(): Promise<ReadonlyMap<number, Kept>> {
    const rows = await this.#db.rows<Row>('SELECT member_id, settings, updated_at FROM agents_settings');
    return new Map(rows.map((row) => [row.member_id, keptOf(row)]));
  }

  /** At least those of the given that were ever changed. */
  async of(ids: readonly number[]): Promise<ReadonlyMap<number, Kept>> {
    const [first] = ids;
    return first !== undefined && ids.length === 1 ? new Map([[first, await this.get(first)]]) : this.all();
  }

  /** `limits.tokens_per_day` alone. */
  async dayLimit(member_id: number): Promise<number> {
    const [row] = this.#db.inTransaction ? await this.#db.rows<LimitRow>(selectLimit, [member_id]) : await this.#limit.all(member_id);
    return row?.tokens_per_day ?? 0;
  }

  /** The same of all that have one. */
  async dayLimits(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#db.rows<LimitRow>('SELECT member_id, tokens_per_day FROM agents_settings WHERE tokens_per_day > 0');
    return new Map(rows.map(({ member_id, tokens_per_day }) => [member_id, tokens_per_day]));
  }

  /** To be written back in the same transaction: others wait. */
  async lock(member_id: number): Promise<Kept> {
    const usual = [member_id, JSON.stringify(usualSettings), 0, ''];
    await this.#db.run(`${insert} ON CONFLICT DO NOTHING`, usual);
    const [row] = await this.#db.rows<Row>(`${select} FOR UPDATE`, [member_id]);
    return keptOf(row);
  }

  async put(member_id: number, settings: KeptSettings, updated_at: string): Promise<void> {
    const changed = 'settings = excluded.settings, tokens_per_day = excluded.tokens_per_day, updated_at = excluded.updated_at';
    const values = [member_id, JSON.stringify(settings), settings.limits.tokens_per_day, updated_at];
    await this.#db.run(`${insert} ON CONFLICT (member_id) DO UPDATE SET ${changed}`, values);
  }

  async forget(member_id: number): Promise<void> {
    await this.#db.run('DELETE FROM agents_settings WHERE member_id = $1', [member_id]);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }
}

const select = 'SELECT member_id, settings, updated_at FROM agents_settings WHERE member_id = $1';
const selectLimit = 'SELECT member_id, tokens_per_day FROM agents_settings WHERE member_id = $1';
const insert = 'INSERT INTO agents_settings (member_id, settings, tokens_per_day, updated_at) VALUES ($1, $2, $3, $4)';

/** What a later version has added is as usual. */
function keptOf(row: Row | undefined): Kept {
  if (!row) return usual;
  const settings = JSON.parse(row.settings) as KeptSettings;
  return {
    settings: { ...usualSettings, ...settings, limits: { ...usualLimits, ...settings.limits } },
    updated_at: row.updated_at === '' ? null : row.updated_at,
  };
}
