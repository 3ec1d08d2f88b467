import t from 'tap';
import type { StoredEndpoint } from '../../../../extensions/agents/profiles/profile.js';
import { costsOf, pricesFrom } from '../../../../extensions/agents/usage/prices.js';

const usd = (input: number, output: number) => ({ input, output, currency: 'USD' });
const endpoint = (change: Partial<StoredEndpoint>): StoredEndpoint => ({
  base_url: '',
  model: '',
  api_key: '',
  features: {},
  max_tokens: 0,
  price: null,
  ...change,
});
const platform = { base_url: 'http://h/v1', api_key: '', name: 'big', price: usd(2, 8) };

t.test("a model costs what the AI employee's settings say, or the platform's", async (t) => {
  const employees = new Map([
    [2, { model: null, fallback_models: [endpoint({ base_url: 'http://l/v1', model: 'small', price: usd(0.1, 0.2) })] }],
    [3, { model: endpoint({ base_url: 'http://l/v1', model: 'big' }), fallback_models: [] }],
    [4, { model: endpoint({ price: usd(1, 1) }), fallback_models: [endpoint({ base_url: 'http://l/v1', price: usd(5, 5) })] }],
  ]);
  const priceOf = pricesFrom({ settingsOf: (id) => employees.get(id) ?? { model: null, fallback_models: [] }, platform });
  t.same(priceOf(9, 'big'), usd(2, 8));
  t.same(priceOf(2, 'big'), usd(2, 8));
  t.same(priceOf(2, 'small'), usd(0.1, 0.2));
  t.equal(priceOf(3, 'big'), undefined, 'another server with a model of that name');
  t.same(priceOf(4, 'big'), usd(1, 1));
  t.same(priceOf(4, 'default'), usd(5, 5), 'a model without a name');
  t.equal(priceOf(2, 'gone'), undefined);
  t.equal(pricesFrom({ settingsOf: () => ({ model: null, fallback_models: [] }), platform: undefined })(2, 'big'), undefined);
});

t.test('costs are summed by currency, per million tokens', async (t) => {
  const priceOf = (_id: number, model: string) =>
    model === 'free' ? undefined : { input: 2, output: 10, currency: model === 'eu' ? 'EUR' : 'USD' };
  const used = (model: string, input_tokens: number, output_tokens: number) => ({ member_id: 2, model, input_tokens, output_tokens });
  t.same(costsOf([used('us', 1_000_000, 500_000), used('eu', 1, 1), used('us', 0, 3), used('free', 9, 9)], priceOf), [
    { currency: 'EUR', amount: 0.000012 },
    { currency: 'USD', amount: 7.00003 },
  ]);
  t.same(costsOf([], priceOf), []);
});
