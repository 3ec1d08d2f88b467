import t from 'tap';
import { callerOf, fixture, startPlatform } from '../../../helpers/platform.js';

const member = callerOf({ member_id: 7, username: 'ada', role: 'member' });
const nobody = callerOf({ member_id: 0, username: '', role: 'member' });

t.test('rights are checked before the input is validated', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('ledger'), fixture('hello')] });
  await t.rejects(kernel.invoke('ledger.list', {}, nobody), { code: 'unauthenticated', status: 401 });
  await t.rejects(kernel.invoke('ledger.hang', { wrong: 1 }, member), { code: 'forbidden', status: 403 });
  await t.rejects(kernel.invoke('ledger.add', {}, { ...member, scopes: ['read'] }), { code: 'scope_missing', status: 403 });
  await t.rejects(kernel.invoke('ledger.hang', {}, { ...callerOf(), scopes: ['read', 'chat'] }), { code: 'scope_missing' });
  t.match(await kernel.invoke('ledger.list', {}, { ...member, scopes: ['read'] }), { status: 200, body: { texts: [] } });
  t.match(await kernel.invoke('hello.greet', { name: 'Ada' }, nobody), { status: 200 });
});

t.test('all faults of an input are reported at once', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('ledger')] });
  await t.rejects(kernel.invoke('ledger.add', { text: '', wait_ms: 'soon', fail: 3 }, member), {
    code: 'invalid_input',
    status: 400,
    details: [{ path: 'text' }, { path: 'wait_ms' }, { path: 'fail' }],
  });
});

t.test('digits in a text are converted to a number', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('ledger')] });
  const { status, body } = await kernel.invoke('ledger.add', { text: 'one', wait_ms: '0' }, member);
  t.same([status, body], [201, { id: 1, text: 'one' }]);
});

t.test('unknown fields are rejected, unless the door drops and names them', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('ledger')] });
  const input = { text: 'one', wait_ns: 0 };
  await t.rejects(kernel.invoke('ledger.add', input, member), {
    code: 'unknown_field',
    status: 400,
    details: [{ path: 'wait_ns', message: '"wait_ns" is unknown. Did you mean wait_ms?' }],
  });
  const ignored: string[] = [];
  await kernel.invoke('ledger.add', input, member, { handling: 'lenient', ignored: (names) => ignored.push(...names) });
  t.same(ignored, ['wait_ns']);
});

t.test('an operation that exceeds its time limit is aborted', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('ledger')] });
  await t.rejects(kernel.invoke('ledger.hang', {}, callerOf()), {
    code: 'operation_timeout',
    status: 503,
    message: 'ledger.hang took longer than 0.1 s and was aborted',
  });
});

t.test('strict mode asserts that answers are declared', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('hello')] });
  await t.rejects(kernel.invoke('hello.refuse', { how: 'crash' }, nobody), { name: 'TypeError' });
  await t.rejects(kernel.invoke('hello.refuse', { how: 'failure' }, nobody), { code: 'hello_refused', status: 409 });
});

t.test('a stream that is left no longer counts as a running call', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('hello')] });
  const running = kernel.host.running.get('hello');
  const { body } = await kernel.invoke('hello.count', { to: 3 }, nobody);
  t.equal(running?.calls, 1);
  const iterator = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  await iterator.return?.();
  t.equal(running?.calls, 0);
});
