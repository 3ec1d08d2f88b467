import t from 'tap';
import { startPlatform } from '../helpers/platform.js';
import { openApiOf } from './openapi.js';

t.test('each operation has a summary, a unique id and one subject, and each subject a sentence', async (t) => {
  const { url } = await startPlatform(t);
  const { tags, paths } = await openApiOf(url);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const ids = operations.map(({ operationId }) => operationId);
  t.ok(ids.length > 100, `${ids.length} operations`);
  t.same([...new Set(ids)], ids, 'the ids are unique');
  t.notOk(ids.includes(undefined), 'each operation has an id');
  for (const { operationId, summary = '', tags: own = [], responses } of operations) {
    t.match(summary, /^\S.{5,}/, `${operationId} has a summary`);
    t.equal(own.length, 1, `${operationId} has one subject`);
    const success = operationId === 'kernel.socket' ? /^101$/ : /^2\d\d$/;
    t.ok(
      Object.keys(responses).some((status) => success.test(status)),
      `${operationId} documents its success`,
    );
  }
  t.same(
    tags.map(({ name }) => name).sort(),
    [...new Set(operations.flatMap(({ tags: own = [] }) => own))].sort(),
    'the subjects are those of the operations',
  );
  for (const { name, description = '' } of tags) t.match(description, /^[A-Z].*\.$/, `'${name}' is described`);
});

t.test('each stream of the platform documents its events', async (t) => {
  const { kernel, url } = await startPlatform(t);
  const { paths } = await openApiOf(url);
  const streams = [...kernel.host.catalog.operations.values()].filter(({ operation }) => operation.kind === 'stream');
  t.ok(streams.length > 0);
  for (const { id, operation } of streams) {
    t.ok(operation.events, `${id} declares its events`);
    t.ok(paths[operation.path]?.[operation.method.toLowerCase()]?.['x-events'], `${id} is documented with its events`);
  }
});
