import { until } from '../../helpers/eventually.js';
import type { Side } from '../side.js';
import type { Uses } from '../table.js';

const noInput = 'It is open to everybody and takes no input.';

/** Listeners hear in order, a little later: after this one, all that was told before is heard too. */
async function told(side: Side): Promise<object> {
  await side.give('hello.tell', { text: 'the last' });
  await until(
    () => side.give<{ texts: string[] }>('hello.heard'),
    ({ texts }) => texts.includes('the last'),
  );
  return {};
}

/** The fixture that uses every kind of contribution: operations of plugins are held to the same. */
export const helloRows: Record<string, Uses> = {
  'hello.greet': {
    success: [{ name: 'greets', input: { name: 'Ada' }, body: { greeting: 'Hello, Ada', version: '1.0.0' } }],
    failures: [
      { name: 'a missing name', input: {}, code: 'invalid_input' },
      { name: 'an empty name', input: { name: '' }, code: 'invalid_input' },
      { name: 'a name above the limit', input: { name: 'a'.repeat(41) }, code: 'invalid_input' },
    ],
  },
  'hello.whoami': {
    success: [{ name: 'returns the caller', input: {}, body: { member_id: 0, username: '' } }],
    failures: [],
    cannot_fail: noInput,
  },
  'hello.slow': {
    success: [{ name: 'answers after a while', input: { ms: 5 }, body: { version: '1.0.0' } }],
    failures: [
      { name: 'a negative number', input: { ms: -1 }, code: 'invalid_input' },
      { name: 'too long', input: { ms: 10_001 }, code: 'invalid_input' },
      { name: 'no number', input: { ms: 'soon' }, code: 'invalid_input' },
    ],
  },
  'hello.count': {
    success: [{ name: 'counts', input: { to: 3 }, last: 'never' }],
    failures: [
      { name: 'no end', input: {}, code: 'invalid_input' },
      { name: 'too far', input: { to: 1001 }, code: 'invalid_input' },
      { name: 'a number with a fraction', input: { to: 1.5 }, code: 'invalid_input' },
    ],
  },
  'hello.refuse': {
    success: [{ name: 'always fails', input: { how: 'failure' }, code: 'hello_refused' }],
    failures: [
      { name: 'as requested', input: { how: 'failure' }, code: 'hello_refused' },
      { name: 'a missing transport', input: {}, code: 'invalid_input' },
      { name: 'an unknown transport', input: { how: 'loudly' }, code: 'invalid_input' },
    ],
  },
  'hello.remember': {
    success: [{ name: 'keeps a value', input: { key: 'k', value: { a: [1, null] } }, body: { keys: ['k'] } }],
    failures: [
      { name: 'no value', input: { key: 'k' }, code: 'invalid_input' },
      { name: 'a key above the limit', input: { key: 'k'.repeat(257), value: 1 }, code: 'invalid_input' },
      { name: 'a key far above the limit', input: { key: 'k'.repeat(2000), value: 1 }, code: 'invalid_input' },
    ],
  },
  'hello.recall': {
    success: [{ name: 'returns it', input: { key: 'k' }, body: { value: { a: [1, null] } } }],
    failures: [
      { name: 'a key above the limit', input: { key: 'k'.repeat(257) }, code: 'invalid_input' },
      { name: 'a key that is longer', input: { key: 'k'.repeat(300) }, code: 'invalid_input' },
      { name: 'a key far above the limit', input: { key: 'k'.repeat(2000) }, code: 'invalid_input' },
    ],
  },
  'hello.tell': {
    success: [{ name: 'emits', input: { text: 'news' }, body: { told: true } }],
    failures: [
      { name: 'nothing', input: {}, code: 'invalid_input' },
      { name: 'an empty text', input: { text: '' }, code: 'invalid_input' },
      { name: 'too much', input: { text: 'a'.repeat(101) }, code: 'invalid_input' },
    ],
  },
  'hello.heard': {
    success: [{ name: 'lists', input: told }],
    failures: [],
    cannot_fail: noInput,
  },
  'hello.relay': {
    success: [
      {
        name: 'calls another operation',
        input: { operation: 'hello.greet', input: { name: 'Bo' } },
        body: { answer: { greeting: 'Hello, Bo' } },
      },
    ],
    failures: [
      { name: 'an unknown operation', input: { operation: 'nobody.knows', input: {} }, code: 'operation_not_found' },
      { name: 'an input that the callee rejects', input: { operation: 'hello.greet', input: {} }, code: 'invalid_input' },
      { name: 'an operation that its caller may not call', input: { operation: 'members.list', input: {} }, code: 'unauthenticated' },
    ],
  },
};
