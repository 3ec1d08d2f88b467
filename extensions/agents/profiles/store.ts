import { type Database, hotRead, Op } from '../../../kernel/contract/index.js';
import { dayLimitOf, settingsOf } from '../agents-sql.js';
import type { Limits } from '../contract.js';
import type { Models, SettingsRow } from '../models.js';
import type { WaitLimits } from '../settings.js';
import { defaultSettings, type StoredEndpoint, type StoredSettings } from './profile.js';

/** Stored settings of an AI employee, and the time of the last change. */
export interface StoredProfile {
  settings: StoredSettings;
  /** Null if never changed. */
  updated_at: string | null;
}

/** Stores settings in `agents_settings`. */
export class SettingsStore {
  readonly #db: Database;
  readonly #model: Models['settings'];
  readonly #one;
  readonly #limit;
  /** Default settings. */
  readonly defaults: StoredProfile;

  constructor(db: Database, model: Models['settings'], waits: WaitLimits) {
    this.#db = db;
    this.#model = model;
    this.defaults = { settings: defaultSettings(waits), updated_at: null };
    this.#one = hotRead<SettingsRow>(db, settingsOf, { model });
    this.#limit = hotRead<Pick<SettingsRow, 'tokens_per_day'>>(db, dayLimitOf);
  }

  async get(member_id: number): Promise<StoredProfile> {
    const [row] = await this.#one(member_id);
    return this.#profileOf(row);
  }

  /** Returns all settings that were ever changed. */
  async all(): Promise<ReadonlyMap<number, StoredProfile>> {
    const rows: SettingsRow[] = await this.#model.findAll({ raw: true });
    return new Map(rows.map((row) => [row.member_id, this.#profileOf(row)]));
  }

  /** Returns at least the settings of these ids that were ever changed. */
  async of(ids: readonly number[]): Promise<ReadonlyMap<number, StoredProfile>> {
    const [first] = ids;
    return first !== undefined && ids.length === 1 ? new Map([[first, await this.get(first)]]) : this.all();
  }

  /** Returns only `limits.tokens_per_day`. */
  async dayLimit(member_id: number): Promise<number> {
    const [row] = await this.#limit(member_id);
    return row?.tokens_per_day ?? 0;
  }

  /** Returns the daily limits of all that have one. */
  async dayLimits(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#model.findAll({ where: { tokens_per_day: { [Op.gt]: 0 } }, raw: true });
    return new Map(rows.map(({ member_id, tokens_per_day }) => [member_id, tokens_per_day]));
  }

  /** Reads and locks settings, to be written back in the same transaction. */
  async lock(member_id: number): Promise<StoredProfile> {
    const initial = { member_id, settings: this.#stored(this.defaults.settings), tokens_per_day: 0, updated_at: '' };
    await this.#model.bulkCreate([initial], { ignoreDuplicates: true });
    return this.#profileOf(await this.#model.findOne({ where: { member_id }, lock: true, raw: true }));
  }

  async put(member_id: number, settings: StoredSettings, updated_at: string): Promise<void> {
    const { tokens_per_day } = settings.limits;
    await this.#model.upsert({ member_id, settings: this.#stored(settings), tokens_per_day, updated_at });
  }

  async forget(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }

  /** Removes default limits, so that they follow the platform's settings. */
  #stored(settings: StoredSettings): SettingsRow['settings'] {
    const { limits: usual } = this.defaults.settings;
    const limits = Object.fromEntries(Object.entries(settings.limits).filter(([name, value]) => usual[name as keyof Limits] !== value));
    return { ...settings, limits };
  }

  /** Reads a row; settings added by a later version get their defaults. */
  #profileOf(row: Pick<SettingsRow, 'settings' | 'updated_at'> | null | undefined): StoredProfile {
    if (!row) return this.defaults;
    const { settings: usual } = this.defaults;
    const { settings } = row;
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

function endpointOf(endpoint: Partial<StoredEndpoint>): StoredEndpoint {
  return { base_url: '', model: '', api_key: '', features: {}, max_tokens: 0, price: null, ...endpoint };
}
