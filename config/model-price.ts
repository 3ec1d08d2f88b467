import type { SettingType } from './types.js';

/** Price of a model for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** ISO 4217 code. */
  currency: string;
}

/** Type of a model's price. In the environment it is JSON. */
export const modelPrice: SettingType<ModelPrice> = {
  expected: 'input and output, the prices of a million tokens, and currency, as in {"input": 2.5, "output": 10, "currency": "USD"}',
  read(found) {
    const price = typeof found === 'string' ? parsed(found) : found;
    return isPrice(price) ? { input: price.input, output: price.output, currency: price.currency } : undefined;
  },
};

function parsed(found: string): unknown {
  try {
    return JSON.parse(found);
  } catch {
    return undefined;
  }
}

const keys: readonly string[] = ['input', 'output', 'currency'];

function isPrice(found: unknown): found is ModelPrice {
  if (typeof found !== 'object' || found === null || Object.keys(found).some((key) => !keys.includes(key))) return false;
  const { input, output, currency } = found as Record<string, unknown>;
  return [input, output].every(isAmount) && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1_000_000;
}
