import t from 'tap';
import { builtinCatalog } from '../../cli/catalog.js';
import { UsageError } from '../../cli/exit.js';
import { assertFields, fieldsOf, print } from '../../cli/output.js';
import type { Terminal } from '../../cli/terminal.js';
import type { JsonSchema } from '../../kernel/contract/schema.js';

const text = { type: 'string' } as const;
const record: JsonSchema = { type: 'object', properties: { id: { type: 'integer' }, name: text } };
const list: JsonSchema = { type: 'array', items: record };

t.test('the fields of an answer are those of its record, list or page', (t) => {
  const total = { type: 'integer' } as const;
  t.strictSame(fieldsOf(record), ['id', 'name']);
  t.strictSame(fieldsOf(list), ['id', 'name']);
  t.strictSame(fieldsOf({ type: 'object', properties: { items: list, total, unavailable: { type: 'array', items: text } } }), [
    'id',
    'name',
  ]);
  t.strictSame(fieldsOf({ type: 'object', properties: { notifications: list, total } }), ['id', 'name']);
  t.strictSame(fieldsOf({ type: 'object', properties: { items: list } }), ['items'], 'an answer without a total is not a page');
  const opens: (JsonSchema | undefined)[] = [undefined, {}, text, { ...record, additionalProperties: true }, { type: 'array' }];
  for (const open of opens) t.equal(fieldsOf(open), undefined, JSON.stringify(open));
  t.end();
});

t.test('an unknown field, or an input field, is rejected before the work', (t) => {
  const fields = ['id', 'name'];
  t.throws(() => assertFields('id,nmae', fields), new UsageError("There is no field 'nmae'", 'there are: id, name'));
  for (const input of ['{"name":"Ada"}', ' [1]'])
    t.throws(() => assertFields(input, undefined), { name: 'UsageError', message: /takes no input/, hint: /platform call/ }, input);
  for (const json of [undefined, true, 'id', ' name , id']) assertFields(json, fields);
  assertFields('whatever', undefined);
  t.end();
});

t.test('a known field that a record lacks is null', (t) => {
  let stdout = '';
  const terminal = { env: {}, stdout: { write: (piece: string) => (stdout += piece) } } as unknown as Terminal;
  print({ id: 7 }, { json: 'id,name', fields: ['id', 'name'] }, terminal);
  t.strictSame(JSON.parse(stdout), { id: 7, name: null });
  t.throws(
    () => print({ id: 7 }, { json: 'id,name' }, terminal),
    { name: 'UsageError' },
    'without a list of known fields an unknown one is a usage error',
  );
  t.end();
});

t.test('the columns of every changing command are known fields', (t) => {
  const { commands, operations } = builtinCatalog();
  for (const { operation: id, command, columns = [] } of commands) {
    const { method, answer } = operations[id] ?? {};
    const fields = method === 'GET' ? undefined : fieldsOf(answer);
    for (const column of fields === undefined ? [] : columns)
      t.ok(fields?.includes(column.split('.')[0] as string), `${command}: ${column}`);
  }
  t.end();
});
