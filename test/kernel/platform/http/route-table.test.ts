import { server as createServer } from '@hapi/hapi';
import t from 'tap';
import type { ActiveOperation } from '../../../../kernel/core/catalog/catalog.js';
import { RouteTable } from '../../../../kernel/platform/http/route-table.js';

const server = createServer();

function operation(id: string, method: string, path: string): ActiveOperation {
  return { id, operation: { method, path } } as ActiveOperation;
}

t.test('a route is added when a path that it may serve is first asked for, once', (t) => {
  const added: string[] = [];
  const table = new RouteTable(
    [
      operation('list', 'GET', '/api/things'),
      operation('create', 'POST', '/api/things'),
      operation('get', 'GET', '/api/things/{id}'),
      operation('latest', 'GET', '/api/things/latest'),
      operation('parts', 'GET', '/api/things/{id}/parts'),
    ],
    ({ id }, to) => added.push(`${id}${to === server ? '' : ' elsewhere'}`),
  );
  table.prepare('/api/nothing', server);
  table.prepare('/api/things/7/other', server);
  t.same(added, []);
  table.prepare('/api/things', server);
  t.same(added, ['list', 'create'], 'for all methods');
  table.prepare('/api/things/latest', server);
  t.same(added.splice(2), ['get', 'latest'], 'hapi knows which of them it is');
  table.prepare('/api/things/7', server);
  table.prepare('/api/things', server);
  t.same(added.splice(2), []);
  table.prepare('/api/things/7/parts', server);
  t.same(added.splice(2), ['parts']);
  t.end();
});

t.test('what hapi would refuse at the first request is refused at the start', (t) => {
  const made =
    (...operations: ActiveOperation[]) =>
    () =>
      new RouteTable(operations, () => undefined);
  t.throws(made(operation('a', 'GET', '/x/{one}'), operation('b', 'GET', '/x/{two}')), /'a' and 'b' have the same path, GET/);
  t.doesNotThrow(made(operation('a', 'GET', '/x/{one}'), operation('b', 'PUT', '/x/{one}')));
  for (const path of ['', '/', 'x', '/x/', '/x//y', '/{a*}', '/{a?}', '/a{b}', '/a b']) {
    t.throws(made(operation('a', 'GET', path)), /not of the form/, path);
  }
  t.end();
});
