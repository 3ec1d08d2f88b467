import t from 'tap';
import type { Manifest } from '../../../../kernel/contract/index.js';
import { dependencyOrder, findCycle, unmetDependency } from '../../../../kernel/core/host/order.js';

const manifest = (id: string, dependencies: Record<string, string> = {}): Manifest => ({
  id,
  name: id,
  type: 'plugin',
  version: '1.0.0',
  description: id,
  author: 'test',
  dependencies,
});

const idsOf = (manifests: readonly Manifest[]) => manifests.map(({ id }) => id);

t.test('an extension comes after all its dependencies', async (t) => {
  const order = dependencyOrder([
    manifest('agents', { chat: '^1.0.0', members: '^1.0.0' }),
    manifest('chat', { members: '^1.0.0' }),
    manifest('members'),
  ]);
  t.same(idsOf(order), ['members', 'chat', 'agents']);
});

t.test('extensions in a cycle are listed last', async (t) => {
  const order = dependencyOrder([manifest('a', { b: '*' }), manifest('b', { a: '*' }), manifest('free')]);
  t.same(idsOf(order), ['free', 'a', 'b']);
});

t.test('a cycle is found from each of its members but not from outside', async (t) => {
  const all = [manifest('a', { b: '*' }), manifest('b', { c: '*' }), manifest('c', { a: '*' }), manifest('outside', { a: '*' })];
  const manifests = new Map(all.map((each) => [each.id, each]));
  t.same(findCycle('a', manifests), ['a', 'b', 'c', 'a']);
  t.same(findCycle('c', manifests), ['c', 'a', 'b', 'c']);
  t.equal(findCycle('outside', manifests), undefined);
});

t.test('an unmet dependency is a sentence that names both extensions', async (t) => {
  const chat = manifest('chat', { members: '^2.0.0' });
  t.equal(
    unmetDependency(chat, () => '1.4.0'),
    "Extension 'chat' needs members ^2.0.0 but 1.4.0 is active",
  );
  t.equal(
    unmetDependency(chat, () => undefined),
    "Extension 'chat' needs members ^2.0.0 but it is not active",
  );
  t.equal(
    unmetDependency(chat, () => '2.3.4'),
    undefined,
  );
});
