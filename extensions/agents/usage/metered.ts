import type { Cost, ModelAnswerer, ModelRequest, Take, Waits } from '../model/prompt.js';
import type { Budget, Spender } from './budget.js';

interface MeterOptions {
  budget: Budget;
  spender: Spender;
  /** Limit at the start of the work; 0 for no limit. */
  tokens_per_day: number;
  reply_id: string;
  /** Limits of the servers' silence. */
  waits: Waits;
}

/** Wraps a model: counts its answers, and rejects requests if the daily budget is used up. */
export class MeteredModel implements ModelAnswerer {
  readonly #model: ModelAnswerer;
  readonly #meter: MeterOptions;
  /** Daily limit known without a query: for the first request only. */
  #known_limit: number | undefined;

  constructor(model: ModelAnswerer, meter: MeterOptions) {
    this.#model = model;
    this.#meter = meter;
    this.#known_limit = meter.tokens_per_day;
  }

  /** Answers a request. May also fail with `token_limit`. */
  async answer(ask: ModelRequest, take: Take): Promise<void> {
    const { budget, spender, waits } = this.#meter;
    const knownLimit = this.#known_limit;
    this.#known_limit = undefined;
    await budget.assert(spender, knownLimit);
    await this.#model.answer({ waits, ...ask }, (piece) => (piece.type === 'usage' ? this.#spend(piece, take) : take(piece)));
  }

  async #spend(cost: Cost, take: Take): Promise<void> {
    const { budget, spender, reply_id } = this.#meter;
    await budget.spend(spender, reply_id, cost);
    await take(cost);
  }
}
