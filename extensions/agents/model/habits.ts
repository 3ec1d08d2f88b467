import { createHash } from 'node:crypto';
import { type Clock, type Database, hotRead, type Log, Op } from '../../../kernel/contract/index.js';
import { habitsOf } from '../agents-sql.js';
import type { ModelHabit } from '../contract.js';
import type { Models } from '../models.js';
import type { ModelSettings } from '../settings.js';
import { type Feature, features } from './features.js';

type Endpoint = Pick<ModelSettings, 'base_url' | 'name'>;

/** Learnt features of model servers, kept apart from their settings. */
export interface Habits {
  /** Returns the features an endpoint lacks, and the message from which that was learnt. */
  known(endpoint: Endpoint): Promise<ReadonlyMap<Feature, string>>;
  learn(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void>;
}

/** Retention of a learnt feature: servers are updated, and models get other templates. */
const retention_ms = 86_400_000;
const max_message = 500;

/** Stores learnt features in `agents_model_habits`, for all instances, by base address and model. */
export class HabitStore implements Habits {
  readonly #model: Models['habits'];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #one;

  constructor(db: Database, model: Models['habits'], { clock, log }: { clock: Clock; log: Log }) {
    this.#model = model;
    this.#clock = clock;
    this.#log = log;
    this.#one = hotRead<Pick<ModelHabit, 'feature' | 'message'>>(db, habitsOf);
  }

  async known(endpoint: Endpoint): Promise<ReadonlyMap<Feature, string>> {
    const rows = await this.#one(keyOf(endpoint), this.#clock.iso());
    return new Map(rows.filter(({ feature }) => isFeature(feature)).map(({ feature, message }) => [feature, message]));
  }

  /** Never fails, because the answer it was learnt from is already written. */
  async learn(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void> {
    const model = endpoint.name;
    await this.#store(endpoint, lacking).catch((err: unknown) => this.#log.warn('Could not store what a model lacks', { model, err }));
  }

  async #store(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void> {
    const now = this.#clock.now();
    const [learnt_at, expires_at] = [new Date(now).toISOString(), new Date(now + retention_ms).toISOString()];
    const row = { endpoint: keyOf(endpoint), base_url: displayUrl(endpoint.base_url), model: endpoint.name, learnt_at, expires_at };
    for (const [feature, message] of lacking)
      await this.#model.upsert({ ...row, feature, message: message.slice(0, max_message).toWellFormed() });
  }

  /** Returns all findings that have not expired. */
  async all(): Promise<ModelHabit[]> {
    const rows: ModelHabit[] = await this.#model.findAll({
      attributes: { exclude: ['endpoint'] },
      where: { expires_at: { [Op.gt]: this.#clock.iso() } },
      order: ['base_url', 'model', 'feature'],
      raw: true,
    });
    return rows.filter(({ feature }) => isFeature(feature));
  }

  /** Forgets the findings about endpoints, so that every feature is tried again. */
  async forget(endpoints: readonly Endpoint[]): Promise<void> {
    await this.#model.destroy({ where: { endpoint: endpoints.map(keyOf) } });
  }

  /** Deletes expired findings; returns their number. */
  async sweep(): Promise<number> {
    return this.#model.destroy({ where: { expires_at: { [Op.lte]: this.#clock.iso() } } });
  }
}

/** Knows and stores nothing: for one-off requests. */
export const noHabits: Habits = { known: async () => new Map(), learn: async () => undefined };

/** Hashes an endpoint, because an address may exceed the length of an index. */
export function keyOf({ base_url, name }: Endpoint): string {
  return createHash('sha256')
    .update(JSON.stringify([base_url.replace(/\/+$/, ''), name]))
    .digest('hex');
}

/** Returns the address without credentials and query, fit for display. */
export function displayUrl(base_url: string): string {
  if (!URL.canParse(base_url)) return base_url;
  const url = new URL(base_url);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href.replace(/\/+$/, '');
}

/** Returns whether a feature is known: another version of the extension may have learnt ones that this version doesn't know. */
function isFeature(name: string): name is Feature {
  return features.some((feature) => feature === name);
}
