import t, { type Test } from 'tap';
import { openApiOf } from '../../docs/openapi.js';
import { misfit } from '../openapi/shape.js';
import { type Documented, documentedOperations, schemaOf, shapeFault } from './calls.js';
import { order } from './order.js';
import { ExampleWorld } from './world.js';

/** Examples that need a container engine, a mail server, the internet or the server's socket, with the code of their failure in a test. */
const elsewhere: Readonly<Record<string, string>> = {
  'nodes.stats': 'node_offline',
  'nodes.exec': 'node_offline',
  'nodes.logs': 'node_offline',
  'nodes.files_get': 'node_offline',
  'nodes.files_put': 'node_offline',
  'http.request': 'fetch_failed',
  'imports.find': 'import_not_local',
  'imports.write': 'import_not_local',
  'imports.file': 'import_not_local',
  'auth.forgot_password': 'mail_not_set_up',
  'auth.reset_password': 'reset_not_found',
};

/** Plugins need no examples, and the socket has an answer of its own. */
const isOwn = ({ id }: Documented) => !id.startsWith('acme.') && id !== 'kernel.socket';

t.test('the example of each operation runs as written and has the written answer', { timeout: 300_000 }, async (t) => {
  const world = await ExampleWorld.start(t);
  const operations = order(documentedOperations(await openApiOf(world.url)).filter(isOwn));
  t.ok(operations.length > 120, `${operations.length} operations`);
  for (const operation of operations) await t.test(operation.id, (t) => run(t, world, operation));
});

async function run(t: Test, world: ExampleWorld, operation: Documented): Promise<void> {
  const { id, body, answer } = operation;
  if (body?.type === 'application/json') t.ok(body.example, 'the body has an example');
  if (answer.type === 'application/json') t.ok(answer.example, 'the answer has an example');
  const response = await world.send(operation);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  if (answer.type === 'text/event-stream' && response.ok) {
    await response.body?.cancel();
    return void t.equal(response.status, 200);
  }
  const value: unknown = isJson ? await response.json() : await response.arrayBuffer();
  if (elsewhere[id]) t.match(value, { code: elsewhere[id] });
  else t.equal(response.status, answer.status, JSON.stringify(value).slice(0, 300));
  if (answer.example === undefined || !answer.schema) return;
  t.equal(misfit(answer.example, answer.schema), undefined, 'the example of the answer has the documented shape');
  if (!elsewhere[id]) {
    t.equal(misfit(value, answer.schema), undefined, 'the answer has the documented shape');
    const schema = answer.schema.properties || answer.schema.items ? answer.schema : schemaOf(answer.example);
    t.equal(shapeFault(value, answer.example, schema), undefined, 'the answer matches its example');
  }
}

t.test('an example that differs from the answer is reported', (t) => {
  const schema = { type: 'object', properties: { id: {}, list: { type: 'array' }, more: {} }, required: ['id'] };
  const fault = (answer: object, example: object) => shapeFault(answer, example, schema);
  t.equal(fault({ id: 1, list: [{}] }, { id: 2, list: [{}] }), undefined);
  t.equal(fault({ id: null }, { id: 2 }), undefined);
  t.equal(fault({ id: 1 }, { id: '1' }), '.id is number, but string in the example');
  t.equal(fault({ id: 1 }, {}), '.id is missing in the example');
  t.equal(fault({}, { id: 1 }), '.id is missing, but the example has it');
  t.equal(fault({ id: 1, list: [] }, { id: 1, list: [1] }), '.list is empty, but the example has items');
  const example = { a: [{ b: 1 }] };
  t.equal(shapeFault({ a: [{}] }, example, schemaOf(example)), '.a[0].b is missing, but the example has it');
  t.end();
});
