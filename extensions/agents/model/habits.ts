import { createHash } from 'node:crypto';
import { type Clock, type Database, hotRead, type Log, Op } from '../../../kernel/contract/index.js';
import { habitsOf } from '../agents-sql.js';
import type { ModelHabit } from '../contract.js';
import type { Models } from '../models.js';
import type { ModelSettings } from '../settings.js';
import { type Feature, features } from './features.js';

type Endpoint = Pick<ModelSettings, 'base_url' | 'name'>;

/** Knowledge about model servers beside their settings. */
export interface Habits {
  /** Parts of the protocol that an endpoint lacks, and what it said when that was learnt. */
  known(endpoint: Endpoint): Promise<ReadonlyMap<Feature, string>>;
  learn(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void>;
}

/** How long something learnt is believed: servers are updated, and models get other templates. */
const kept_ms = 86_400_000;
const max_message = 500;

/** Table `agents_model_habits`: for all instances, by base address and model. */
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

  /** Never fails: the answer from which it was learnt is written already. */
  async learn(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void> {
    const model = endpoint.name;
    await this.#store(endpoint, lacking).catch((err: unknown) => this.#log.warn('What a model lacks could not be stored', { model, err }));
  }

  async #store(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void> {
    const now = this.#clock.now();
    const [learnt_at, expires_at] = [new Date(now).toISOString(), new Date(now + kept_ms).toISOString()];
    const row = { endpoint: keyOf(endpoint), base_url: shownUrl(endpoint.base_url), model: endpoint.name, learnt_at, expires_at };
    for (const [feature, message] of lacking)
      await this.#model.upsert({ ...row, feature, message: message.slice(0, max_message).toWellFormed() });
  }

  /** All that is believed now. */
  async all(): Promise<ModelHabit[]> {
    const rows: ModelHabit[] = await this.#model.findAll({
      attributes: { exclude: ['endpoint'] },
      where: { expires_at: { [Op.gt]: this.#clock.iso() } },
      order: ['base_url', 'model', 'feature'],
      raw: true,
    });
    return rows.filter(({ feature }) => isFeature(feature));
  }

  /** From now on all of it is tried again. */
  async forget(endpoints: readonly Endpoint[]): Promise<void> {
    await this.#model.destroy({ where: { endpoint: endpoints.map(keyOf) } });
  }

  /** Removes what has expired; gives how many rows. */
  async sweep(): Promise<number> {
    return this.#model.destroy({ where: { expires_at: { [Op.lte]: this.#clock.iso() } } });
  }
}

/** Nothing is known, and nothing is remembered: for a question that is asked once. */
export const noHabits: Habits = { known: async () => new Map(), learn: async () => undefined };

/** An address may be longer than an index takes. */
export function keyOf({ base_url, name }: Endpoint): string {
  return createHash('sha256')
    .update(JSON.stringify([base_url.replace(/\/+$/, ''), name]))
    .digest('hex');
}

/** The address as people may see it: it may hold credentials. */
export function shownUrl(base_url: string): string {
  if (!URL.canParse(base_url)) return base_url;
  const url = new URL(base_url);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href.replace(/\/+$/, '');
}

/** Another version of the extension may have learnt features that this one does not know. */
function isFeature(name: string): name is Feature {
  return features.some((feature) => feature === name);
}
