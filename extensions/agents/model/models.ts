import { LRUCache } from 'lru-cache';
import type { Failure } from '../../../kernel/contract/index.js';
import { allowanceOf, type ModelSettings } from '../settings.js';
import { ModelFailure } from './failures.js';
import type { Habits } from './habits.js';
import { Model } from './model.js';
import type { Ask, Take, Thinker } from './prompt.js';
import { Sight } from './sight.js';

/** Models that are kept ready, with what was learned of them. */
const max_kept = 128;

/** The models of all AI employees, one for each address, key and name. */
export class Models {
  readonly #sight = new Sight();
  readonly #web: (allow: readonly string[]) => typeof globalThis.fetch;
  readonly #models = new LRUCache<string, Model>({ max: max_kept });
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

/** A model, and those that are asked in its place where it fails. */
export class ModelChain implements Thinker {
  readonly #models: readonly Model[];

  constructor(models: readonly Model[]) {
    this.#models = models;
  }

  /**
   * The answer of the first model that gives one. Fails with a code of {@link ModelFault}, or as `take` does.
   * Another model is asked only while nothing of an answer has come, and not about a conversation that was
   * found too long. Those that could not answer a little while ago are asked last.
   */
  async answer(ask: Ask, take: Take): Promise<void> {
    const failures = new Map<Model, ModelFailure>();
    for (const model of this.#inTurn()) {
      try {
        return await model.answer(ask, take);
      } catch (fault) {
        if (!(fault instanceof ModelFailure)) throw fault;
        if (fault.begun || fault.code === 'context_overflow') throw fault.toFailure();
        failures.set(model, fault);
      }
    }
    throw together(this.#models.flatMap((model) => failures.get(model) ?? []));
  }

  #inTurn(): Model[] {
    const resting = this.#models.filter(({ isResting }) => isResting);
    return [...this.#models.filter((model) => !resting.includes(model)), ...resting];
  }
}

/** The first one's code, and what all of them said. */
function together([first, ...rest]: readonly ModelFailure[]): Failure {
  if (!first) throw new Error('A chain of models needs one');
  const sentences = [first.message, ...rest.map(({ message }) => `Its fallback too: ${message}`)];
  const { retry_after_ms, status } = first;
  return new ModelFailure(first.code, sentences.join('. ').slice(0, 1_000), { retry_after_ms, status }).toFailure();
}
