import { LRUCache } from 'lru-cache';
import { allowanceOf, type ModelSettings } from '../settings.js';
import { ModelChain } from './chain.js';
import type { Habits } from './habits.js';
import { Model } from './model.js';
import { Sight } from './sight.js';

/** Models that are kept ready, with what was learned of them. */
const most_kept = 128;

/** The models of all AI employees, one for each address, key and name. */
export class Models {
  readonly #sight = new Sight();
  readonly #web: (allow: readonly string[]) => typeof globalThis.fetch;
  readonly #models = new LRUCache<string, Model>({ max: most_kept });
  readonly #habits: Habits;

  constructor(web: (allow: readonly string[]) => typeof globalThis.fetch, habits: Habits) {
    this.#web = web;
    this.#habits = habits;
  }

  /** They are asked in this order; undefined where there are none. */
  chain(settings: readonly ModelSettings[]): ModelChain | undefined {
    return settings.length === 0 ? undefined : new ModelChain(settings.map((each) => this.#model(each)));
  }

  #model(settings: ModelSettings): Model {
    const { base_url, api_key, name, employee, fallback, features, max_tokens } = settings;
    const key = JSON.stringify([base_url, api_key, name, employee, fallback, features, max_tokens]);
    const model = this.#models.get(key) ?? this.#open(settings);
    this.#models.set(key, model);
    return model;
  }

  #open(settings: ModelSettings): Model {
    // The address is an administrator's own word, so a private one is meant.
    return new Model({ settings, fetch: this.#web([allowanceOf(settings)]), sight: this.#sight, habits: this.#habits });
  }
}
