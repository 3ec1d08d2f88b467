import t from 'tap';
import { route } from '../../../kernel/client/route.js';
import type { OperationData } from '../../../kernel/contract/manifest.js';

const operation = (change: Partial<OperationData>): OperationData => ({
  summary: '',
  method: 'GET',
  path: '/api/things/{id}/parts/{part}',
  who: 'member',
  kind: 'call',
  input: { type: 'object', properties: { q: {}, many: {}, flag: {}, none: {} } },
  status: 200,
  ...change,
});

t.test('keys of the path go there, those of a GET or DELETE into the query', async (t) => {
  const input = { id: 7, part: 'a b/ü', q: '', many: [1, 2], flag: false, none: null, missing: undefined };
  const expected = { path: '/api/things/7/parts/a%20b%2F%C3%BC?q=&many=1&many=2&flag=false', body: undefined };
  t.strictSame(route(operation({}), input), expected);
  t.strictSame(route(operation({ method: 'DELETE' }), input), expected);
});

t.test('keys of a POST or PUT go into the body, except declared query keys', async (t) => {
  const input = { id: 7, part: 'x', name: null, force: true };
  const expected = { path: '/api/things/7/parts/x?force=true', body: { name: null } };
  t.strictSame(route(operation({ method: 'POST', query: ['force'] }), input), expected);
  t.strictSame(route(operation({ method: 'PUT', query: ['force'] }), input), expected);
});

t.test('a missing path parameter is rejected as the server would', async (t) => {
  for (const id of [undefined, null, '']) {
    t.throws(() => route(operation({}), { id, part: 'x' }), {
      code: 'invalid_input',
      status: 400,
      details: [{ path: 'id', message: '"id" is required' }],
    });
  }
});

t.test('values that an address cannot contain are rejected before sending', async (t) => {
  for (const id of ['.', '..']) {
    const message = `"id" must not be "${id}", which a URL can't contain`;
    t.throws(() => route(operation({}), { id, part: 'x' }), { code: 'invalid_input', status: 400, details: [{ path: 'id', message }] });
  }
  for (const input of [
    { id: 'a\ud800', part: 'x' },
    { id: 1, part: 'x', q: '\udfff' },
    { id: 1, part: 'x', q: ['a', '\ud800'] },
  ]) {
    t.throws(() => route(operation({}), input), { code: 'malformed_request', status: 400 });
  }
});
