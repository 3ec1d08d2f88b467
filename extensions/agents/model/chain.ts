import type { Failure } from '../../../kernel/contract/index.js';
import { ModelFailure } from './failures.js';
import type { Model } from './model.js';
import type { Ask, Take, Thinker } from './prompt.js';

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
