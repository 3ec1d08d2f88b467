import type { ModelCost, ModelPrice } from '../contract.js';
import type { StoredEndpoint, StoredSettings } from '../profiles/profile.js';
import type { ModelSettings } from '../settings.js';

/** Returns the price of an AI employee's model, by the name that its usage has; undefined if none is set. */
export type PriceOf = (member_id: number, model: string) => ModelPrice | undefined;

/** Tokens of an AI employee's model. */
export interface PricedTokens {
  member_id: number;
  model: string;
  input_tokens: number;
  output_tokens: number;
}

interface PriceSources {
  settingsOf: (member_id: number) => Pick<StoredSettings, 'model' | 'fallback_models'>;
  /** Platform's model, if configured. */
  platform: ModelSettings | undefined;
}

/** Finds prices in the settings of now: usage is stored without them. */
export function pricesFrom({ settingsOf, platform }: PriceSources): PriceOf {
  const nameOf = ({ base_url, model }: StoredEndpoint) => model || (base_url === '' ? platform?.name : 'default');
  return (member_id, model) => {
    const { model: own, fallback_models } = settingsOf(member_id);
    const named = [own, ...fallback_models].filter((endpoint) => endpoint !== null && nameOf(endpoint) === model) as StoredEndpoint[];
    const priced = named.find(({ price }) => price !== null);
    const mayBePlatforms = named.length === 0 || named.some(({ base_url }) => base_url === '');
    return priced?.price ?? (mayBePlatforms && platform?.name === model ? platform.price : undefined);
  };
}

const per_tokens = 1_000_000;
/** Decimal places of a cost. */
const places = 6;

/** Returns the cost of tokens in each currency, sorted by its code. Tokens of models without a price cost nothing. */
export function costsOf(used: readonly PricedTokens[], priceOf: PriceOf): ModelCost[] {
  const amounts = new Map<string, number>();
  for (const { member_id, model, input_tokens, output_tokens } of used) {
    const price = priceOf(member_id, model);
    if (!price) continue;
    const amount = (input_tokens * price.input + output_tokens * price.output) / per_tokens;
    amounts.set(price.currency, (amounts.get(price.currency) ?? 0) + amount);
  }
  const sorted = [...amounts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([currency, amount]) => ({ currency, amount: Number(amount.toFixed(places)) }));
}
