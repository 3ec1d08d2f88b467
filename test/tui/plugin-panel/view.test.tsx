import { type ComponentType, createElement, type ReactNode, useSyncExternalStore } from 'react';
import t, { type Test } from 'tap';
import type { Transport } from '../../../kernel/client/transport.js';
import type { OperationData, PanelHint } from '../../../kernel/contract/manifest.js';
import type { PanelProps } from '../../../tui/kit/panel.js';
import { PluginPages } from '../../../tui/plugin-panel/pages.js';
import { Source } from '../../../tui/plugin-panel/source.js';
import { PluginView } from '../../../tui/plugin-panel/view.js';
import { Store } from '../../../tui/store.js';
import { until } from '../../helpers/eventually.js';
import { admin, Drawn, type DrawOptions, now } from '../drawn.js';

const data = (method: OperationData['method'], properties: object = {}, required: string[] = []): OperationData => ({
  summary: '',
  method,
  path: '/api/x/acme',
  who: 'member',
  kind: 'call',
  status: 200,
  input: { type: 'object', properties, required },
});
const id = { id: { type: 'string' } };
const operations: Record<string, OperationData> = {
  'acme.list': data('GET'),
  'acme.get': data('GET', id, ['id']),
  'acme.create': {
    ...data('POST', { name: { type: 'string' }, times: { type: 'integer' }, key: { type: 'string' } }, ['name', 'times', 'key']),
    secrets: ['key'],
  },
  'acme.retry': { ...data('POST', id, ['id']), dangerous: true },
  'acme.purge': { ...data('POST'), dangerous: true },
  'acme.ping': data('POST'),
  'acme.delete': data('DELETE', id, ['id']),
};
const hint: PanelHint = {
  title: 'Hooks',
  operation: 'acme.list',
  columns: ['name', 'owner.username'],
  details: 'acme.get',
  actions: [
    { key: 'n', label: 'new', operation: 'acme.create', of: 'list', shows: true },
    { key: 'r', label: 'retry', operation: 'acme.retry' },
  ],
  remove: { operation: 'acme.delete', confirm: 'Delete the hook?' },
};
const records = [
  { id: 'a', name: 'first', owner: { username: 'ada' }, secret_count: 3 },
  { id: 'b', name: 'second\u001b[2J', owner: null },
];

interface Asked {
  id: string;
  input: object;
}

/** A plugin whose operations answer what is given, and what it was asked. */
function plugin(
  t: Test,
  answers: Record<string, unknown> = {},
  options: DrawOptions & { hint?: PanelHint } = {},
): { drawn: Drawn; asked: Asked[] } {
  const asked: Asked[] = [];
  const known: Record<string, unknown> = { 'acme.list': records, ...answers };
  const call: Transport['call'] = async ({ id: operation, input }) => {
    if (operation !== 'acme.list') asked.push({ id: operation, input });
    const body = known[operation];
    if (body instanceof Error) throw body;
    return { status: 200, body };
  };
  const source = new Source(operations, { call, stream: () => t.fail('no stream is used') as never, close: async () => undefined });
  const size = { columns: 80, rows: 20 };
  const props = { client: {}, focused: true, size, readonly: false, me: admin, clock: () => now };
  return { drawn: new Drawn(t, <PluginView {...props} hint={options.hint ?? hint} source={source} />, { size, ...options }), asked };
}

t.test("a plugin's list is drawn by its columns without terminal escapes", async (t) => {
  const { drawn } = plugin(t);
  await drawn.shows(/> first +ada/);
  t.match(drawn.frame, /NAME +OWNER USERNAME/);
  t.match(drawn.frame, /second *$/m);
});

t.test('a list may be a page, a record or empty, and columns default to its keys', async (t) => {
  const { columns: _columns, ...plain } = hint;
  const page = plugin(t, { 'acme.list': { items: records, total: 2 } }, { hint: plain });
  await page.drawn.shows(/ID +NAME/);
  const single = plugin(t, { 'acme.list': { up: true, queue: 7 } }, { hint: plain });
  await single.drawn.shows(/> true +7/);
  const none = plugin(t, { 'acme.list': [] });
  await none.drawn.shows('No records yet');
});

t.test('inputs of an operation come from the record; removals and dangerous ones ask first', async (t) => {
  const { drawn, asked } = plugin(t, { 'acme.get': { id: 'a', log: ['sent'] } });
  await drawn.shows('first');
  drawn.press('enter');
  await drawn.shows('"sent"');
  t.same(asked.splice(0), [{ id: 'acme.get', input: { id: 'a' } }]);
  drawn.press('esc');
  await drawn.shows('NAME');
  drawn.press('r');
  await drawn.shows('retry? (y/n)');
  drawn.press('y');
  await drawn.becomes(() => asked.length > 0, 'asked');
  t.same(asked.splice(0), [{ id: 'acme.retry', input: { id: 'a' } }]);
  drawn.press('j', 'ctrl-d');
  await drawn.shows('Delete the hook? (y/n)');
  drawn.press('y');
  await drawn.becomes(() => asked.length > 0, 'asked');
  t.same(asked, [{ id: 'acme.delete', input: { id: 'b' } }]);
});

t.test('missing inputs are asked for, secrets are hidden, and the answer is shown if requested', async (t) => {
  const { drawn, asked } = plugin(t, { 'acme.create': { id: 'c', secret: 'shown-once' } });
  await drawn.shows('first');
  drawn.press('n');
  await drawn.shows('> name');
  drawn.type('third');
  drawn.press('enter');
  drawn.type('3');
  drawn.press('enter');
  drawn.type('hidden');
  await drawn.shows('******');
  t.notMatch(drawn.frame, 'hidden');
  drawn.press('enter');
  await drawn.shows('shown-once');
  t.same(asked, [{ id: 'acme.create', input: { name: 'third', times: 3, key: 'hidden' } }]);
  drawn.press('esc');
  await drawn.shows('first');
});

t.test('a dangerous action without a record asks first, and its failure is reported', async (t) => {
  const purging: PanelHint = { ...hint, actions: [{ key: 'p', label: 'purge', operation: 'acme.purge', of: 'list' }] };
  const { drawn, asked } = plugin(t, { 'acme.purge': new Error('It is busy') }, { hint: purging });
  await drawn.shows('first');
  drawn.press('p');
  await drawn.shows('purge? (y/n)');
  drawn.press('n');
  await drawn.shows('first');
  t.same(asked, []);
  drawn.press('p');
  await drawn.shows('purge? (y/n)');
  drawn.press('y');
  await until(
    () => drawn.notices,
    (notices) => notices.length > 0,
    5_000,
  );
  t.same(drawn.notices, ['! It is busy']);
  t.same(asked, [{ id: 'acme.purge', input: {} }]);
});

t.test('the failure of an action without questions is reported', async (t) => {
  const failing: PanelHint = { ...hint, actions: [{ key: 'p', label: 'ping', operation: 'acme.ping', of: 'list' }] };
  const { drawn } = plugin(t, { 'acme.ping': new Error('It is busy') }, { hint: failing });
  await drawn.shows('first');
  drawn.press('p');
  await until(
    () => drawn.notices,
    (notices) => notices.length > 0,
    5_000,
  );
  t.same(drawn.notices, ['! It is busy']);
});

t.test('with --readonly only reading operations are offered', async (t) => {
  const { drawn } = plugin(t, {}, { readonly: true });
  await drawn.shows('first');
  t.same(
    drawn.offered.filter((key) => /^(n|r|ctrl-d) /.test(key)),
    [],
  );
});

t.test('half-typed input survives a change of the catalog, but not the end of its operation', async (t) => {
  const pages = new PluginPages();
  const transport = {
    call: async () => ({ status: 200, body: records }),
    stream: () => t.fail('no stream is used') as never,
    close: async () => undefined,
  };
  const props = { client: {}, focused: true, size: { columns: 80, rows: 20 }, readonly: false, me: admin, clock: () => now };
  const drawing = (known: Record<string, OperationData>) => {
    const [view] = pages.views([{ ...hint, extension: 'acme' }], new Source(known, transport));
    return createElement(view?.panel.View as ComponentType<PanelProps<object>>, { ...props, key: view?.name });
  };
  const element = new Store<ReactNode>(drawing(operations));
  function Root() {
    return useSyncExternalStore(element.subscribe, element.get);
  }
  const drawn = new Drawn(t, <Root />);
  await drawn.shows('first');
  drawn.press('n');
  await drawn.shows('> name');
  drawn.type('third');
  await drawn.shows('third_');
  element.set(drawing({ ...operations, 'acme.other': data('GET') }));
  drawn.type('!');
  await drawn.shows('third!_');
  const { 'acme.create': _gone, ...rest } = operations;
  element.set(drawing(rest));
  await drawn.shows('second');
  drawn.press('j');
  await drawn.shows('> second');
});
