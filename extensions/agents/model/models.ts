import { LRUCache } from 'lru-cache';
import type { Failure } from '../../../kernel/contract/index.js';
import { allowanceOf, type ModelSettings } from '../settings.js';
import { ModelFailure } from './failures.js';
import type { Habits } from './habits.js';
import { ImageBudget } from './image-budget.js';
import { Model } from './model.js';
import type { ModelAnswerer, ModelRequest, Take } from './prompt.js';

/** Limit of cached models. */
const max_cached = 128;

/** Caches the models of all AI employees by address, key and name. */
export class Models {
  readonly #image_budget = new ImageBudget();
  readonly #web: (allow: readonly string[]) => typeof globalThis.fetch;
  readonly #models = new LRUCache<string, Model>({ max: max_cached });
  readonly #habits: Habits;

  constructor(web: (allow: readonly string[]) => typeof globalThis.fetch, habits: Habits) {
    this.#web = web;
    this.#habits = habits;
  }

  /** Creates a chain of models in the order of their settings; undefined if there are none. */
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
    // An administrator configured the address, so a private one is intended.
    return new Model({ settings, fetch: this.#web([allowanceOf(settings)]), sight: this.#image_budget, habits: this.#habits });
  }
}

/** A model and its fallbacks. */
export class ModelChain implements ModelAnswerer {
  readonly #models: readonly Model[];

  constructor(models: readonly Model[]) {
    this.#models = models;
  }

  /**
   * Answers with the first model that can. Fails with a code of {@link ModelFault}, or as `take` does. Falls back only
   * before the first piece, and not if the conversation is too long. Models that failed recently are tried last.
   */
  async answer(ask: ModelRequest, take: Take): Promise<void> {
    const failures = new Map<Model, ModelFailure>();
    for (const model of this.#inOrder()) {
      try {
        return await model.answer(ask, take);
      } catch (fault) {
        if (!(fault instanceof ModelFailure)) throw fault;
        if (fault.begun || fault.code === 'context_overflow') throw fault.toFailure();
        failures.set(model, fault);
      }
    }
    throw joined(this.#models.flatMap((model) => failures.get(model) ?? []));
  }

  #inOrder(): Model[] {
    const backingOff = this.#models.filter(({ isBackingOff: isResting }) => isResting);
    return [...this.#models.filter((model) => !backingOff.includes(model)), ...backingOff];
  }
}

/** Joins failures: the code of the first and the messages of all. */
function joined([first, ...rest]: readonly ModelFailure[]): Failure {
  if (!first) throw new Error('A chain of models needs one');
  const sentences = [first.message, ...rest.map(({ message }) => `Its fallback too: ${message}`)];
  const { retry_after_ms, status } = first;
  return new ModelFailure(first.code, sentences.join('. ').slice(0, 1_000), { retry_after_ms, status }).toFailure();
}
