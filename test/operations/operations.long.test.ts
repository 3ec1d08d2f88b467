import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { OperationData } from '../../kernel/contract/index.js';
import { describeOperation } from '../../kernel/core/host/describe-operation.js';
import { type Result, Side } from './side.js';
import { goodUse, type Row, table, type Uses } from './table.js';

/** Failures that every operation of its kind has. */
function commonFailures(operation: OperationData, uses: Uses): Row[] {
  if (operation.who === 'public') return [];
  const { input } = goodUse(uses);
  const rows: Row[] = [
    { name: 'a request without a token', asker: 'nobody', input, code: 'unauthenticated' },
    { name: 'a forged token', asker: 'forger', input, code: 'invalid_token' },
  ];
  if (operation.who === 'admin') rows.push({ name: 'a member', asker: 'ada', input, code: 'forbidden' });
  else
    rows.push({
      name: 'a token without the scope',
      asker: scopeOf(operation) === 'read' ? 'limited' : 'reader',
      input,
      code: 'scope_missing',
    });
  return rows;
}

const scopeOf = ({ scope, method }: OperationData) => scope ?? (method === 'GET' ? 'read' : 'chat');

t.test('every operation has uses in the table, and the table has no others', async (t) => {
  const side = await Side.start(t, 'direct');
  t.same(Object.keys(table).sort(), Object.keys(side.operations).sort());
  for (const [id, { elsewhere }] of Object.entries(table))
    if (elsewhere) t.ok(existsSync(join('test', elsewhere.test)), `${id} succeeds in ${elsewhere.test}`);
});

t.test("the built description of each operation equals the program's", async (t) => {
  const { platform } = await Side.start(t, 'direct');
  const found = [...platform.kernel.host.catalog.operations.values()];
  t.ok(found.length > 0);
  for (const { id, operation, data } of found) t.same(data(), JSON.parse(JSON.stringify(describeOperation(operation))), id);
});

t.test('each use returns the expected result over both transports', async (t) => {
  const sides = await Promise.all([Side.start(t, 'direct'), Side.start(t, 'http')]);
  const { operations } = sides[0];
  for (const [id, uses] of Object.entries(table)) {
    const operation = operations[id] as OperationData;
    await t.test(id, async (t) => {
      const failures = [...commonFailures(operation, uses), ...uses.failures];
      if (!uses.cannot_fail) t.ok(failures.length >= 3, `${id} has at least three failures`);
      for (const row of [...uses.success, ...failures]) await use(t, { id, operation, row, sides });
    });
  }
});

/** Operations that create a record whose id isn't in their path. */
function createsRecord(id: string, { audited, status }: OperationData): boolean {
  return audited === true && (status === 201 || id === 'maintenance.backup');
}

t.test('the audit trail names the record that an operation created', async (t) => {
  const side = await Side.start(t, 'direct');
  const targets: Record<string, unknown> = {};
  for (const [id, operation] of Object.entries(side.operations).filter(([id, operation]) => createsRecord(id, operation))) {
    const [row] = table[id]?.success ?? [];
    // Its success takes a container engine or a file of a registry.
    if (row === undefined) continue;
    const input = typeof row.input === 'function' ? await row.input(side) : row.input;
    await side.give(id, input, row.asker ?? (operation.who === 'admin' ? 'admin' : 'ada'));
    const [entry] = await side.give<{ target: string; outcome: string }[]>('audit.list', { operation: id, limit: 1 });
    t.match(entry, { outcome: 'success', target: /./ }, id);
    targets[id] = entry?.target;
  }
  const expected = ['maintenance.backup', 'marketplace.trust_key', 'members.create', 'schedules.create', 'tokens.create'];
  for (const id of expected) t.ok(id in targets, `${id} was tried`);
  const [latest] = (await side.give<{ items: { id: number }[] }>('schedules.list', { limit: 200 })).items.slice(-1);
  t.equal(targets['schedules.create'], String(latest?.id));
});

interface Use {
  id: string;
  operation: OperationData;
  row: Row;
  sides: readonly Side[];
}

async function use(t: Test, { id, operation, row, sides }: Use): Promise<void> {
  const asker = row.asker ?? (operation.who === 'admin' ? 'admin' : 'ada');
  const results: Result[] = [];
  for (const side of sides) {
    const input = typeof row.input === 'function' ? await row.input(side) : row.input;
    results.push(await side.ask(id, input, { asker, ...(row.last ? { last: row.last } : {}) }));
  }
  const [first, second] = results as [Result, Result];
  t.same(second, first, `${row.name}: the same over HTTP as in the process`);
  if (!row.code && 'events' in first) {
    const types = first.events.map((event) => (event as { type: string }).type);
    return void t.ok(
      types.length > 0 && (row.last === 'never' || types.at(-1) === (row.last ?? 'done')),
      `${row.name}: ${types.join(' ')}`,
    );
  }
  if (row.code) t.match(first, { failure: { code: row.code } }, `${row.name}: fails with ${row.code}`);
  else t.match(first, expected(operation, row), `${row.name}: succeeds`);
}

function expected(operation: OperationData, row: Row): object {
  return { status: row.status ?? operation.status, ...(row.body === undefined ? {} : { body: row.body }) };
}
