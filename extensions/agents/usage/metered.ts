import type { Ask, Cost, Take, Thinker, Waits } from '../model/prompt.js';
import type { Budget, Spender } from './budget.js';

interface Meter {
  budget: Budget;
  spender: Spender;
  /** As the spender is set up when the work begins; 0 where there is no limit. */
  tokens_per_day: number;
  reply_id: string;
  /** How long its servers may be silent. */
  waits: Waits;
}

/** A model whose answers are counted, and that is not asked where nothing of the day's tokens is left. */
export class MeteredModel implements Thinker {
  readonly #model: Thinker;
  readonly #meter: Meter;
  /** What is known of the day's limit without asking: at the first question only. */
  #known: number | undefined;

  constructor(model: Thinker, meter: Meter) {
    this.#model = model;
    this.#meter = meter;
    this.#known = meter.tokens_per_day;
  }

  /** Fails with `token_limit` too. */
  async answer(ask: Ask, take: Take): Promise<void> {
    const { budget, spender, waits } = this.#meter;
    const known = this.#known;
    this.#known = undefined;
    await budget.assert(spender, known);
    await this.#model.answer({ waits, ...ask }, (piece) => (piece.type === 'usage' ? this.#spend(piece, take) : take(piece)));
  }

  async #spend(cost: Cost, take: Take): Promise<void> {
    const { budget, spender, reply_id } = this.#meter;
    await budget.spend(spender, reply_id, cost);
    await take(cost);
  }
}
