import { type Database, hotRead, Op } from '../../../kernel/contract/index.js';
import { dayLimitOf, settingsOf } from '../agents-sql.js';
import type { Limits } from '../contract.js';
import type { Models, SettingsRow } from '../models.js';
import type { WaitLimits } from '../settings.js';
import { type KeptEndpoint, type KeptSettings, usualSettings } from './profile.js';

/** What is kept of an AI employee, and since when. */
export interface Kept {
  settings: KeptSettings;
  /** Null where nothing was ever changed. */
  updated_at: string | null;
}

/** Table `agents_settings`. */
export class SettingsStore {
  readonly #db: Database;
  readonly #model: Models['settings'];
  readonly #one;
  readonly #limit;
  /** How every AI employee is at first. */
  readonly usual: Kept;

  constructor(db: Database, model: Models['settings'], waits: WaitLimits) {
    this.#db = db;
    this.#model = model;
    this.usual = { settings: usualSettings(waits), updated_at: null };
    this.#one = hotRead<SettingsRow>(db, settingsOf, { model });
    this.#limit = hotRead<Pick<SettingsRow, 'tokens_per_day'>>(db, dayLimitOf);
  }

  async get(member_id: number): Promise<Kept> {
    const [row] = await this.#one(member_id);
    return this.#keptOf(row);
  }

  /** Those that were ever changed. */
  async all(): Promise<ReadonlyMap<number, Kept>> {
    const rows: SettingsRow[] = await this.#model.findAll({ raw: true });
    return new Map(rows.map((row) => [row.member_id, this.#keptOf(row)]));
  }

  /** At least those of the given that were ever changed. */
  async of(ids: readonly number[]): Promise<ReadonlyMap<number, Kept>> {
    const [first] = ids;
    return first !== undefined && ids.length === 1 ? new Map([[first, await this.get(first)]]) : this.all();
  }

  /** `limits.tokens_per_day` alone. */
  async dayLimit(member_id: number): Promise<number> {
    const [row] = await this.#limit(member_id);
    return row?.tokens_per_day ?? 0;
  }

  /** The same of all that have one. */
  async dayLimits(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#model.findAll({ where: { tokens_per_day: { [Op.gt]: 0 } }, raw: true });
    return new Map(rows.map(({ member_id, tokens_per_day }) => [member_id, tokens_per_day]));
  }

  /** To be written back in the same transaction: others wait. */
  async lock(member_id: number): Promise<Kept> {
    const fresh = { member_id, settings: this.#stored(this.usual.settings), tokens_per_day: 0, updated_at: '' };
    await this.#model.bulkCreate([fresh], { ignoreDuplicates: true });
    return this.#keptOf(await this.#model.findOne({ where: { member_id }, lock: true, raw: true }));
  }

  async put(member_id: number, settings: KeptSettings, updated_at: string): Promise<void> {
    const { tokens_per_day } = settings.limits;
    await this.#model.upsert({ member_id, settings: this.#stored(settings), tokens_per_day, updated_at });
  }

  async forget(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }

  /** Limits that are the usual ones are not kept: they follow the platform's settings. */
  #stored(settings: KeptSettings): SettingsRow['settings'] {
    const { limits: usual } = this.usual.settings;
    const limits = Object.fromEntries(Object.entries(settings.limits).filter(([name, value]) => usual[name as keyof Limits] !== value));
    return { ...settings, limits };
  }

  /** Settings that a later version has added have their defaults. */
  #keptOf(row: Pick<SettingsRow, 'settings' | 'updated_at'> | null | undefined): Kept {
    if (!row) return this.usual;
    const { settings: usual } = this.usual;
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

function endpointOf(endpoint: Partial<KeptEndpoint>): KeptEndpoint {
  return { base_url: '', model: '', api_key: '', features: {}, max_tokens: 0, ...endpoint };
}
