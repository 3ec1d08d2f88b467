import t from 'tap';
import type { Take } from '../../../../extensions/agents/model/prompt.js';
import type { Budget } from '../../../../extensions/agents/usage/budget.js';
import { MeteredModel } from '../../../../extensions/agents/usage/metered.js';

t.test('the first call uses the known limit, and later calls read it again', async (t) => {
  const known: unknown[] = [];
  const spent: unknown[] = [];
  const budget = {
    assert: async (_spender: unknown, limit?: number) => void known.push(limit),
    spend: async (_spender: unknown, reply_id: string, cost: object) => void spent.push([reply_id, cost]),
  } as unknown as Budget;
  const cost = { type: 'usage', usage: { input_tokens: 3, output_tokens: 2 }, model: 'm', estimated: false } as const;
  const model = { answer: async (_ask: unknown, take: Take) => take(cost) };
  const waits = { first_byte_ms: 1_000, idle_ms: 1_000 };
  const metered = new MeteredModel(model, { budget, spender: { member_id: 2, name: 'Vic' }, tokens_per_day: 500, reply_id: 'r', waits });
  const taken: unknown[] = [];
  const ask = { prompts: [], tools: [], signal: new AbortController().signal };
  for (let question = 0; question < 3; question += 1) await metered.answer(ask, (piece) => void taken.push(piece));
  t.same(known, [500, undefined, undefined]);
  t.same(spent, Array(3).fill(['r', cost]));
  t.same(taken, Array(3).fill(cost));
});
