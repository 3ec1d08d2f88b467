import type { Ask, Piece } from '../model/prompt.js';
import type { Thinker } from '../summaries.js';
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
  async *answer(ask: Ask): AsyncGenerator<Piece> {
    const { budget, spender, reply_id } = this.#meter;
    await budget.assert(spender);
    for await (const piece of this.#model.answer(ask)) {
      if (piece.type === 'usage') await budget.spend(spender, reply_id, piece);
      yield piece;
    }
  }
}
