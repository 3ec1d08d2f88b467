import type { Database } from '../../../kernel/contract/index.js';
import type { Limits } from '../contract.js';
import type { WaitLimits } from '../settings.js';
import { type KeptEndpoint, type KeptSettings, usualSettings } from './profile.js';

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

/** Table `agents_settings`. */
export class SettingsStore {
  readonly #db: Database;
  readonly #one;
  readonly #limit;
  /** How every AI employee is at first. */
  readonly usual: Kept;

  constructor(db: Database, waits: WaitLimits) {
    this.#db = db;
    this.usual = { settings: usualSettings(waits), updated_at: null };
    this.#one = db.prepare<Row>(select);
    this.#limit = db.prepare<LimitRow>(selectLimit);
  }

  async get(member_id: number): Promise<Kept> {
    const [row] = this.#db.inTransaction ? await this.#db.rows<Row>(select, [member_id]) : await this.#one.all(member_id);
    return this.#keptOf(row);
  }

  /** Those that were ever changed. */
  async all(): Promise<ReadonlyMap<number, Kept>> {
    const rows = await this.#db.rows<Row>('SELECT member_id, settings, updated_at FROM agents_settings');
    return new Map(rows.map((row) => [row.member_id, this.#keptOf(row)]));
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
    const values = [member_id, this.#json(this.usual.settings), 0, ''];
    await this.#db.run(`${insert} ON CONFLICT DO NOTHING`, values);
    const [row] = await this.#db.rows<Row>(`${select} FOR UPDATE`, [member_id]);
    return this.#keptOf(row);
  }

  async put(member_id: number, settings: KeptSettings, updated_at: string): Promise<void> {
    const changed = 'settings = excluded.settings, tokens_per_day = excluded.tokens_per_day, updated_at = excluded.updated_at';
    const values = [member_id, this.#json(settings), settings.limits.tokens_per_day, updated_at];
    await this.#db.run(`${insert} ON CONFLICT (member_id) DO UPDATE SET ${changed}`, values);
  }

  async forget(member_id: number): Promise<void> {
    await this.#db.run('DELETE FROM agents_settings WHERE member_id = $1', [member_id]);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }

  /** Limits that are the usual ones are not kept: they follow the platform's settings. */
  #json(settings: KeptSettings): string {
    const { limits: usual } = this.usual.settings;
    const limits = Object.fromEntries(Object.entries(settings.limits).filter(([name, value]) => usual[name as keyof Limits] !== value));
    return JSON.stringify({ ...settings, limits });
  }

  /** Settings that a later version has added have their defaults. */
  #keptOf(row: Row | undefined): Kept {
    if (!row) return this.usual;
    const { settings: usual } = this.usual;
    const settings = JSON.parse(row.settings) as KeptSettings;
    return {
      settings: {
        ...usual,
        ...settings,
        limits: { ...usual.limits, ...settings.limits },
        model: settings.model && endpointOf(settings.model),
        fallback_models: settings.fallback_models.map(endpointOf),
      },
      updated_at: row.updated_at === '' ? null : row.updated_at,
    };
  }
}

function endpointOf(endpoint: Partial<KeptEndpoint>): KeptEndpoint {
  return { base_url: '', model: '', api_key: '', features: {}, max_tokens: 0, ...endpoint };
}

const select = 'SELECT member_id, settings, updated_at FROM agents_settings WHERE member_id = $1';
const selectLimit = 'SELECT member_id, tokens_per_day FROM agents_settings WHERE member_id = $1';
const insert = 'INSERT INTO agents_settings (member_id, settings, tokens_per_day, updated_at) VALUES ($1, $2, $3, $4)';
