import t from 'tap';
import { type Client, connect } from '../../../kernel/client/connect.js';
import type { Request, Transport } from '../../../kernel/client/transport.js';
import { operations, type ThingsApi } from './operations.js';

function recording(): { transport: Transport; requests: Request[] } {
  const requests: Request[] = [];
  const transport: Transport = {
    call: async (request) => {
      requests.push(request);
      return { status: 200, body: { id: 1 } };
    },
    async *stream(request) {
      requests.push(request);
      yield { type: 'done', data: {} };
    },
    close: async () => undefined,
  };
  return { transport, requests };
}

t.test('each operation is a function named by the words of its id', async (t) => {
  const { transport, requests } = recording();
  const client: Client<ThingsApi> = connect<ThingsApi>(operations, transport);
  t.strictSame(await client.things.create({ name: 'a' }, { idempotency_key: 'k' }), { id: 1 });
  await client.things.parts.publish({ type: 'skill', file: { bytes: new Uint8Array(1), name: 'x.zip' } });
  await client.things.list();
  for await (const event of client.things.watch()) t.strictSame(event, { type: 'done', data: {} });
  t.strictSame(
    requests.map(({ id, input, options }) => ({ id, input, options })),
    [
      { id: 'things.create', input: { name: 'a' }, options: { idempotency_key: 'k' } },
      { id: 'things.parts.publish', input: { type: 'skill', file: { bytes: new Uint8Array(1), name: 'x.zip' } }, options: {} },
      { id: 'things.list', input: {}, options: {} },
      { id: 'things.watch', input: {}, options: {} },
    ],
  );
});

t.test('an id may be a function and a prefix of other ids', async (t) => {
  const { transport, requests } = recording();
  type Api = { 'a.b.c': { input: object; answer: object }; 'a.b': { input: object; answer: object } };
  const client = connect<Api>({ 'a.b.c': operations['things.list'], 'a.b': operations['things.list'] }, transport);
  await client.a.b();
  await client.a.b.c();
  t.strictSame(
    requests.map(({ id }) => id),
    ['a.b', 'a.b.c'],
  );
});

t.test("ids that equal Object's own properties work", async (t) => {
  const { transport, requests } = recording();
  type Api = { 'constructor.valueOf': { input: object; answer: object } };
  await connect<Api>({ 'constructor.valueOf': operations['things.list'] }, transport).constructor.valueOf();
  t.equal(requests.length, 1);
});
