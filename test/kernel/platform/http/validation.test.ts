import t, { type Test } from 'tap';
import type { Operation } from '../../../../kernel/contract/operation.js';
import { echo, json, member } from './deeds.js';
import { type Deed, startWorld } from './world.js';

type Input = NonNullable<Operation['input']>;

const admin = { authorization: 'Bearer admin' };
const path = '/api/valid/{id}';

/** An operation whose input comes from path, query and body. */
const change = (input: Input, more: Partial<Deed> = {}): Deed => ({
  ...echo,
  method: 'PUT',
  path,
  who: 'admin',
  query: ['page'],
  input,
  answer: (j) => j.object(),
  does: (given: object) => given,
  ...more,
});

type Asked = Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; query?: string };

async function world(t: Test, deeds: Record<string, Deed>): Promise<(request: Asked) => Promise<unknown[]>> {
  const made = await startWorld();
  t.teardown(() => made.http.close(1_000));
  await made.serve('valid', ['/api/valid'], deeds);
  return async ({ query = '', ...init }) => {
    const answer = await fetch(`${made.url}/api/valid/${query}`, { method: 'PUT', ...init, headers: { ...json, ...init.headers } });
    const { code, details = [], ...rest } = (await answer.json()) as { code?: string; details?: { path: string }[] };
    return [answer.status, code ?? rest, ...details.map((fault) => fault.path)];
  };
}

const numbers: Input = (j) => j.object({ id: j.number().required(), page: j.number(), text: j.string(), size: j.number().default(1) });

t.test('authentication is checked first, then rights, then all faults of path, query and body', async (t) => {
  const ask = await world(t, { 'valid.change': change(numbers) });
  const wrong = { query: 'x?page=y', body: '{"text":1,"size":"z"}' };
  t.same(await ask({ ...wrong, body: 'no JSON' }), [401, 'unauthenticated']);
  t.same(await ask({ ...wrong, body: 'no JSON', headers: member }), [403, 'forbidden']);
  t.same(await ask({ ...wrong, body: 'no JSON', headers: admin }), [400, 'malformed_request']);
  t.same(await ask({ ...wrong, headers: admin }), [400, 'invalid_input', 'id', 'page', 'text', 'size']);
  const good = { query: '7?page=2&other=1', body: '{"text":"x","id":8,"page":9}', headers: admin };
  t.same(await ask(good), [200, { id: 7, page: 2, text: 'x', size: 1 }]);
});

t.test('a valid input is validated once', async (t) => {
  let count = 0;
  const input: Input = (j) =>
    j.object({
      id: j.number(),
      text: j.string().custom((value: unknown) => {
        count += 1;
        return value;
      }),
    });
  const ask = await world(t, { 'valid.change': change(input) });
  t.same(await ask({ query: '7', body: '{"text":"x"}', headers: admin }), [200, { id: 7, text: 'x' }]);
  t.equal(count, 1);
});

t.test('rules across path, query and body are applied', async (t) => {
  const across: [name: string, input: Input][] = [
    ['one of two keys', (j) => j.object({ id: j.number(), page: j.number(), text: j.string() }).or('page', 'text')],
    [
      'a key that another one needs',
      (j) => j.object({ id: j.number(), page: j.number(), text: j.string().when('page', { is: j.exist(), otherwise: j.required() }) }),
    ],
    [
      'a key that is bound by another',
      (j) => j.object({ id: j.number(), page: j.number(), text: j.any(), size: j.number().greater(j.ref('id')).default(9) }).min(3),
    ],
  ];
  for (const [name, input] of across) {
    const ask = await world(t, { 'valid.change': change(input) });
    t.match(await ask({ query: '7', body: '{}', headers: admin }), [400, 'invalid_input'], name);
    t.match(await ask({ query: '7', body: '{"text":"x"}', headers: admin }), [200, { id: 7, text: 'x' }], name);
    t.match(await ask({ query: 'x', body: '{"text":"x"}', headers: admin }), [400, 'invalid_input', 'id'], name);
  }
});
