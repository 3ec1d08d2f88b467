import { server as createServer } from '@hapi/hapi';
import t from 'tap';
import type { ActiveDoor, ActiveOperation } from '../../../../kernel/core/catalog/catalog.js';
import { HapiCell } from '../../../../kernel/platform/http/cell.js';
import type { Incoming, Outgoing } from '../../../../kernel/platform/http/incoming.js';
import { Responder } from '../../../../kernel/platform/http/responder.js';
import { assertPaths } from '../../../../kernel/platform/http/routes.js';
import { becomes } from '../../../helpers/eventually.js';

const req = {} as Incoming;
const res = {} as Outgoing;

function operation(id: string, method: string, path: string): ActiveOperation {
  return { id, operation: { method, path } } as ActiveOperation;
}

t.test("a cell's server is created by its first request, once, and retried after a failure", async (t) => {
  const failures: unknown[] = [];
  const responder = new Responder({ base_url: undefined, instance: 'here' });
  responder.failure = (_res, failure) => void failures.push(failure.code);
  const served: unknown[] = [];
  let [made, fails] = [0, true];
  const cell = new HapiCell({ extension: 'hello', version: '1.0.0', operations: [] }, responder, async () => {
    made += 1;
    if (fails) throw new Error('none can be made');
    const server = createServer();
    server.listener.removeAllListeners('request').on('request', (...given) => served.push(given));
    return server;
  });
  t.equal(made, 0);
  cell.receive('request', req, res);
  await becomes(t, () => failures.length, 1);
  t.same(failures, ['internal_error']);
  await t.rejects(cell.server(), { message: 'none can be made' });
  fails = false;
  for (const _ of [1, 2, 3]) cell.receive('request', req, res);
  await becomes(t, () => served.length, 3);
  cell.receive('request', req, res);
  t.equal(served.length, 4, 'requests do not wait a turn once the server exists');
  t.equal(made, 3);
  await cell.stop();
});

t.test('routes that hapi would reject at the first request are reported at the start', (t) => {
  const asserting =
    (...operations: ActiveOperation[]) =>
    () =>
      assertPaths({ operations });
  t.throws(asserting(operation('a', 'GET', '/x/{one}'), operation('b', 'GET', '/x/{two}')), /'a' and 'b' have the same path, GET/);
  t.doesNotThrow(asserting(operation('a', 'GET', '/x/{one}'), operation('b', 'PUT', '/x/{one}')));
  for (const path of ['', '/', 'x', '/x/', '/x//y', '/{a*}', '/{a?}', '/a{b}', '/a b']) {
    t.throws(asserting(operation('a', 'GET', path)), /must have the form/, path);
  }
  const door = { door: { path: '/x/{any}', methods: ['GET', 'POST'] } } as unknown as ActiveDoor;
  t.throws(
    () => assertPaths({ operations: [operation('a', 'POST', '/x/{one}')], doors: [door] }),
    /'a' and '\/x\/{any}' have the same path/,
  );
  t.doesNotThrow(() => assertPaths({ operations: [operation('a', 'PUT', '/x/{one}')], doors: [door] }));
  t.end();
});
