import { createHash } from 'node:crypto';
import type { Clock, Database, Log } from '../../../kernel/contract/index.js';
import type { ModelHabit } from '../contract.js';
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

interface Row {
  feature: string;
  base_url: string;
  model: string;
  message: string;
  learnt_at: string;
  expires_at: string;
}

const columns = 'feature, base_url, model, message, learnt_at, expires_at';

/** Table `agents_model_habits`: for all instances, by base address and model. */
export class HabitStore implements Habits {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #one;

  constructor(db: Database, clock: Clock, log: Log) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#one = db.prepare<Row>(`SELECT ${columns} FROM agents_model_habits WHERE endpoint = $1 AND expires_at > $2`);
  }

  async known(endpoint: Endpoint): Promise<ReadonlyMap<Feature, string>> {
    const rows = await this.#one.all(keyOf(endpoint), this.#clock.iso());
    return new Map(rows.filter(({ feature }) => isFeature(feature)).map(({ feature, message }) => [feature as Feature, message]));
  }

  /** Never fails: the answer from which it was learnt is written already. */
  async learn(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void> {
    const model = endpoint.name;
    await this.#store(endpoint, lacking).catch((err: unknown) => this.#log.warn('What a model lacks could not be stored', { model, err }));
  }

  async #store(endpoint: Endpoint, lacking: ReadonlyMap<Feature, string>): Promise<void> {
    const now = this.#clock.now();
    const times = [now, now + kept_ms].map((time) => new Date(time).toISOString());
    for (const [feature, message] of lacking) {
      await this.#db.run(
        `INSERT INTO agents_model_habits (endpoint, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (endpoint, feature)
         DO UPDATE SET message = excluded.message, learnt_at = excluded.learnt_at, expires_at = excluded.expires_at`,
        [keyOf(endpoint), feature, shownUrl(endpoint.base_url), endpoint.name, message.slice(0, max_message).toWellFormed(), ...times],
      );
    }
  }

  /** All that is believed now. */
  async all(): Promise<ModelHabit[]> {
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM agents_model_habits WHERE expires_at > $1 ORDER BY base_url, model, feature`,
      [this.#clock.iso()],
    );
    return rows.filter(({ feature }) => isFeature(feature)).map((row) => ({ ...row, feature: row.feature as Feature }));
  }

  /** From now on all of it is tried again. */
  async forget(endpoints: readonly Endpoint[]): Promise<void> {
    for (const key of new Set(endpoints.map(keyOf))) await this.#db.run('DELETE FROM agents_model_habits WHERE endpoint = $1', [key]);
  }

  /** Removes what has expired; gives how many rows. */
  async sweep(): Promise<number> {
    return this.#db.run('DELETE FROM agents_model_habits WHERE expires_at <= $1', [this.#clock.iso()]);
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

function isFeature(name: string): name is Feature {
  return features.some((feature) => feature === name);
}
