import t from 'tap';
import { readModelNames } from '../../../../extensions/agents/model/model-list.js';

const namesIn = (body: unknown) => readModelNames(new Response(typeof body === 'string' ? body : JSON.stringify(body)));

t.test("the names of a server's models are read in their order, in each of the usual forms", async (t) => {
  t.same(await namesIn({ object: 'list', data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }] }), ['b', 'a']);
  t.same(await namesIn({ models: [{ name: 'llama3.2:latest' }] }), ['llama3.2:latest']);
  t.same(await namesIn(['a', { id: 'b' }, { id: 7 }, null, { id: '' }, { id: 'x'.repeat(201) }]), ['a', 'b']);
  t.same(await namesIn({ data: [] }), []);
  t.equal((await namesIn(Array.from({ length: 3_000 }, (_, n) => `m-${n}`))).length, 1_000);
});

t.test('something else than a list is a fault of the answer', async (t) => {
  for (const body of ['<html></html>', '', 'null', '7', '{"data":{}}']) await t.rejects(namesIn(body), { message: /list of models/ }, body);
  await t.rejects(namesIn(`["${'x'.repeat(3_000_000)}"]`), { message: /too long/ });
});
