import type { Ask, Cost, Take, Thinker } from '../model/prompt.js';
import type { Budget, Spender } from './budget.js';

interface Meter {
  budget: Budget;
  spender: Spender;
  reply_id: string;
}

/** A model whose answers are counted, and that is not asked where nothing of the day's tokens is left. */
export class MeteredModel implements Thinker {
  readonly #model: Thinker;
  readonly #meter: Meter;

  constructor(model: Thinker, meter: Meter) {
    this.#model = model;
    this.#meter = meter;
  }

  /** Fails with `token_limit` too. */
  async answer(ask: Ask, take: Take): Promise<void> {
    const { budget, spender } = this.#meter;
    await budget.assert(spender);
    await this.#model.answer(ask, (piece) => (piece.type === 'usage' ? this.#spend(piece, take) : take(piece)));
  }

  async #spend(cost: Cost, take: Take): Promise<void> {
    const { budget, spender, reply_id } = this.#meter;
    await budget.spend(spender, reply_id, cost);
    await take(cost);
  }
}
