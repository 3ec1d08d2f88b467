import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { connect } from '../../../kernel/client/connect.js';
import { type DirectKernel, direct } from '../../../kernel/client/direct.js';
import { Failure } from '../../../kernel/contract/failure.js';
import type { Caller } from '../../../kernel/contract/operation.js';
import { operations, type ThingsApi } from './operations.js';

const admin: Caller = {
  member_id: 1,
  username: 'admin',
  role: 'admin',
  scopes: 'all',
  door: 'direct',
  address: '',
  token_id: '',
  expires_at: 0,
};

function kernel(invoke: DirectKernel['invoke']): DirectKernel {
  return { invoke, localCaller: async () => admin };
}

async function all(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}

t.test('input and answer are serialised as JSON, so nothing is shared', async (t) => {
  const given: unknown[] = [];
  const answer = { id: 1, name: 'a', at: new Date(0), none: undefined };
  const client = connect<ThingsApi>(
    operations,
    direct(
      kernel(async (...args) => {
        given.push(...args);
        return { status: 201, body: answer };
      }),
    ),
  );
  const input = { name: 'a', extra: undefined };
  t.strictSame(await client.things.create(input, { idempotency_key: 'k' }), { id: 1, name: 'a', at: '1970-01-01T00:00:00.000Z' });
  t.strictSame(given, ['things.create', { name: 'a' }, admin, { idempotency_key: 'k' }]);
  t.not(given[1], input);
});

t.test('an operation is called as the given caller', async (t) => {
  const member = { ...admin, member_id: 5, role: 'member' } as const;
  const transport = direct(
    kernel(async (_id, _input, caller) => ({ status: 200, body: { items: [caller.member_id] } })),
    member,
  );
  t.strictSame(await connect<ThingsApi>(operations, transport).things.list(), { items: [5] });
});

t.test('an unexpected error is an internal error, as over HTTP', async (t) => {
  const cause = new TypeError('undefined is not a function');
  const client = connect<ThingsApi>(operations, direct(kernel(() => Promise.reject(cause))));
  await t.rejects(client.things.list(), { isFailure: true, code: 'internal_error', status: 500, cause });
  await t.rejects(all(client.things.watch()), { code: 'internal_error' });
});

t.test('the file of an upload exists until its handler has answered', async (t) => {
  let path = '';
  const transport = direct(
    kernel(async (_id, input) => {
      const { file, ...rest } = input as { file: { path: string; filename: string; bytes: number } };
      path = file.path;
      return { status: 200, body: { ...rest, name: file.filename, bytes: file.bytes, text: readFileSync(path, 'utf8') } };
    }),
  );
  const client = connect<ThingsApi>(operations, transport);
  const file = { bytes: new TextEncoder().encode('zip'), name: '/somewhere/x.zip' };
  t.strictSame(await client.things.parts.publish({ type: 'skill', file }), { type: 'skill', name: 'x.zip', bytes: 3, text: 'zip' });
  t.notOk(existsSync(path));
});

t.test('an answer with status 204 is undefined, and a failure is thrown unchanged', async (t) => {
  const failure = new Failure('thing_not_found', 'There is no thing', { status: 404 });
  const client = connect<ThingsApi>(
    operations,
    direct(
      kernel(async (id) => {
        if (id === 'things.list') throw failure;
        return { status: 204, body: { leftover: true } };
      }),
    ),
  );
  t.equal(await client.things.delete({ id: 1 }), undefined);
  await t.rejects(client.things.list(), failure);
});

t.test('a stream has the same events as over HTTP and closes its source', async (t) => {
  let closed = 0;
  async function* source() {
    try {
      yield { id: 's.1.1', type: 'tick', data: { type: 'tick', n: 1 } };
      yield { type: 'tick', data: { at: new Date(0) } };
      yield { type: 'never', data: {} };
    } finally {
      closed += 1;
    }
  }
  const client = connect<ThingsApi>(operations, direct(kernel(async () => ({ status: 200, body: source() }))));
  const seen: unknown[] = [];
  for await (const event of client.things.watch()) if (seen.push(event) === 2) break;
  t.strictSame(seen, [
    { id: 's.1.1', type: 'tick', data: { n: 1 } },
    { type: 'tick', data: { at: '1970-01-01T00:00:00.000Z' } },
  ]);
  t.equal(closed, 1);
});

t.test('an aborted call fails with its reason', async (t) => {
  const controller = new AbortController();
  const client = connect<ThingsApi>(operations, direct(kernel(() => new Promise(() => undefined))));
  const call = client.things.list({}, { signal: controller.signal });
  const reason = new Error('enough');
  controller.abort(reason);
  await t.rejects(call, reason);
});
