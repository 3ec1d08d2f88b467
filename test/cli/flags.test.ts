import { Command } from 'commander';
import t from 'tap';
import { builtinCatalog } from '../../cli/catalog.js';
import { addOperation, type Context } from '../../cli/command.js';
import { UsageError } from '../../cli/exit.js';
import { addInput } from '../../cli/flags.js';
import { idOf } from '../../kernel/client/references.js';
import type { Failure } from '../../kernel/contract/failure.js';
import type { CommandHint, OperationData } from '../../kernel/contract/manifest.js';
import type { JsonSchema } from '../../kernel/contract/schema.js';

const input: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string', description: 'Who it is' },
    limit: { type: 'integer', default: 20 },
    node_id: { type: ['integer', 'null'] },
    is_virtual: { type: 'boolean' },
    force: { type: 'boolean', default: false },
    scopes: { type: 'array', items: { type: 'string', enum: ['read', 'chat'] } },
    texts: { type: 'array', items: { type: 'string' } },
    ids: { type: 'array', items: { type: 'integer' } },
    model: { type: 'object', additionalProperties: true },
    value: {},
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    users: {
      anyOf: [
        { type: 'string', enum: ['all'] },
        { type: 'array', items: { type: 'integer' } },
      ],
    },
    program: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    json: { type: 'string' },
    password: { type: 'string' },
  },
  required: ['id'],
};
const operation: OperationData = { summary: '', method: 'PUT', path: '/api/things/{id}', who: 'member', kind: 'call', input, status: 200 };

async function read(args: readonly string[], hint?: Partial<CommandHint>, of: OperationData = operation): Promise<Record<string, unknown>> {
  const command = new Command('change').exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  const leaf = { id: 'things.update', operation: of, hint: { operation: 'things.update', command: 'thing change', ...hint } };
  const readInput = addInput(command, leaf);
  let found = {};
  command.action((...given: unknown[]) => {
    found = readInput(given);
  });
  await command.parseAsync(args, { from: 'user' });
  return found;
}

const cases: Record<string, [args: string[], input: object]> = {
  'what the path needs comes first': [['7'], { id: 7 }],
  'flags have the names of the keys with dashes': [['7', '--name', 'a b', '--node-id', '3'], { id: 7, name: 'a b', node_id: 3 }],
  'null stands for null where it may': [['7', '--node-id', 'null', '--name', 'null'], { id: 7, node_id: null, name: 'null' }],
  'a number that is none is left for the operation to refuse': [
    ['x', '--limit', '1e', '--node-id', ''],
    { id: 'x', limit: '1e', node_id: '' },
  ],
  'true and false have a flag each': [['7', '--is-virtual', '--force'], { id: 7, is_virtual: true, force: true }],
  'false can be said where it differs from nothing': [['7', '--no-is-virtual'], { id: 7, is_virtual: false }],
  'true and false can follow a flag that changes something': [
    ['7', '--is-virtual', 'false', '--force'],
    { id: 7, is_virtual: false, force: true },
  ],
  'a list is given item by item': [['7', '--texts', 'a,b', '--texts', 'c'], { id: 7, texts: ['a,b', 'c'] }],
  'commas separate what can contain none': [
    ['7', '--scopes', 'read,chat', '--ids', '1,2', '--ids', '3'],
    { id: 7, scopes: ['read', 'chat'], ids: [1, 2, 3] },
  ],
  'a word or a list is the word or what stands between commas': [['7', '--users', '1, 2'], { id: 7, users: [1, 2] }],
  'a word or a list may be the word': [['7', '--users', 'all'], { id: 7, users: 'all' }],
  'a word or a list may be empty': [['7', '--users', ''], { id: 7, users: [] }],
  'objects are given as JSON': [['7', '--model', '{"a":1}', '--value', '[1]'], { id: 7, model: { a: 1 }, value: [1] }],
  'anything is text where it is no JSON': [['7', '--value', 'plain', '--either', '5'], { id: 7, value: 'plain', either: '5' }],
  'a key with the name of a common flag has another one': [['7', '--json-value', 'x'], { id: 7, json: 'x' }],
};

for (const [name, [args, expected]] of Object.entries(cases)) {
  t.test(name, async (t) => t.strictSame(await read(args), expected));
}

t.test('a hint makes keys positional and removes secrets from the flags', async (t) => {
  t.strictSame(await read(['Ada', '7'], { arguments: ['name'] }), { id: 7, name: 'Ada' });
  await t.rejects(read(['7', '--password', 'x'], { secrets: ['password'] }), { code: 'commander.unknownOption' });
});

t.test('missing values and invalid JSON are usage errors', async (t) => {
  await t.rejects(read([]), { code: 'commander.missingArgument' });
  await t.rejects(read(['7', '--model', '{']), new UsageError("'{' for model is not JSON"));
});

t.test('reads a plain text as a text even if a list is possible', async (t) => {
  t.same(await read(['7', '--program', 'ls -l, then']), { id: 7, program: 'ls -l, then' });
});

t.test('keys of a flattened object are flags', async (t) => {
  const config: JsonSchema = {
    type: 'object',
    properties: { image: { type: 'string' }, tls: { type: 'object' }, size: { type: 'integer' } },
  };
  const spread = { ...operation, input: { type: 'object', properties: { id: { type: 'integer' }, config } } };
  const given = async (...args: string[]) => {
    const command = new Command('make').exitOverride();
    const hint = { operation: 'things.make', command: 'thing make', spread: ['config'] };
    const readInput = addInput(command, { id: 'things.make', operation: spread, hint });
    let found: object = {};
    command.action((...all: unknown[]) => {
      found = readInput(all);
    });
    await command.parseAsync(['7', ...args], { from: 'user' });
    return found;
  };
  t.strictSame(await given('--image', 'a:1', '--size', '3', '--tls', '{"ca":"x"}'), {
    id: 7,
    config: { image: 'a:1', size: 3, tls: { ca: 'x' } },
  });
  t.strictSame(await given(), { id: 7 }, 'omitted flags are not in the input');
});

const upload = {
  ...operation,
  kind: 'upload' as const,
  input: { ...input, properties: { ...input.properties, file: { type: 'object' } } },
} as const;

t.test('accepts the file of an upload by its path without a flag', async (t) => {
  const of = (hint?: CommandHint) => addOperation(new Command(), 'put', { id: 'things.put', operation: upload, hint }, {} as Context);
  const isMandatory = (command: Command) => command.options.some(({ long, mandatory }) => long === '--file' && mandatory);
  t.ok(isMandatory(of()));
  const bare = of({ operation: 'things.put', command: 'put', arguments: ['file'] });
  t.notOk(isMandatory(bare));
  t.strictSame(
    bare.registeredArguments.map((argument) => argument.name()),
    ['file', 'id'],
  );
  t.strictSame(await read(['a.txt', '7'], { arguments: ['file'] }, upload), { file: 'a.txt', id: 7 });
});

t.test('a key is renamed only if its own command already has such a flag', async (t) => {
  const stream: JsonSchema = { type: 'object', properties: { follow: { type: 'boolean', default: false }, file: { type: 'string' } } };
  const logs = { ...operation, method: 'GET', path: '/api/logs', input: stream } as const;
  t.strictSame(await read(['--follow', '--file', 'a.log'], {}, logs), { follow: true, file: 'a.log' });
  const command = new Command('logs');
  addInput(command, { id: 'things.logs', operation: logs, next: { leaf: { id: 'things.read', operation: logs }, keys: [] } });
  t.strictSame(
    command.options.map(({ long }) => long),
    ['--follow-value', '--file'],
  );
});

t.test('help offers names and partial ids only for ids that are resolved', async (t) => {
  const { commands, operations } = builtinCatalog();
  const referring = commands.filter(({ refers }) => refers !== undefined);
  t.ok(referring.length > 20);
  const nothing = async (id: string) => (id === 'chat.lookup' || id === 'tokens.list' ? [] : { items: [], total: 0 });
  for (const hint of referring) {
    const command = new Command('do');
    addInput(command, { id: hint.operation, operation: operations[hint.operation] as OperationData, hint });
    for (const [key, kind] of Object.entries(hint.refers ?? {})) {
      if (key in (hint.preset ?? {})) continue;
      const flag = hint.flags?.[key] ?? key.replaceAll('_', '-');
      const found =
        command.registeredArguments.find((one) => one.name() === key) ?? command.options.find(({ long }) => long === `--${flag}`);
      const refused = (await idOf(kind, 'no id', nothing).catch((fault: Failure) => fault)) as Failure;
      const isPart = /at least 4 characters/.test(refused.message);
      t.match(
        found?.description,
        isPart ? /or at least 4 characters of its beginning or end/ : /or the (name|title)|or at least 4 characters/,
        `${hint.command}: ${key}`,
      );
    }
  }
});

/** Shows the flags of one boolean key as help does. */
function helpOf(schema: JsonSchema, method: 'GET' | 'POST' = 'POST'): string[] {
  const command = new Command('do');
  const of = { ...operation, method, path: '/api/things', input: { type: 'object', properties: { all: { type: 'boolean', ...schema } } } };
  addInput(command, { id: 'things.do', operation: of });
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, description }) => `${long} ${description}`.trim())
    .filter((line) => !line.startsWith('--help'));
}

t.test('help shows boolean flags only if they differ from the default', (t) => {
  t.strictSame(helpOf({ default: false }), ['--all (default: false)']);
  t.strictSame(helpOf({ default: true, description: 'Whether to do all' }), ['--no-all Whether to do all (default: true)']);
  t.strictSame(helpOf({ description: 'true: these only' }, 'GET'), ['--all true: these only', '--no-all']);
  t.end();
});

t.test('a flag hidden from help is accepted', async (t) => {
  const of = { ...operation, path: '/api/things', input: { type: 'object', properties: { all: { type: 'boolean', default: true } } } };
  t.strictSame(await read(['--all'], {}, of), { all: true });
  t.strictSame(await read(['--no-all'], {}, of), { all: false });
  t.strictSame(await read([], {}, of), {});
});

t.test('no command has a negated flag that equals the default', (t) => {
  const { commands, operations } = builtinCatalog();
  for (const { command, operation: id } of commands) {
    const { method, input: of } = operations[id] as OperationData;
    const booleans = Object.entries((of as JsonSchema).properties ?? {}).filter(([, { type }]) => type === 'boolean');
    // In a list, a missing key means both; in a change, it means the stored value. Otherwise it has a default.
    for (const [key, schema] of booleans)
      t.ok(method === 'GET' || method === 'PUT' || schema.default !== undefined, `${command}: ${key} has a default`);
  }
  t.end();
});

t.test("an upload's file is no flag of the input", async (t) => {
  const command = new Command('put');
  addInput(command, { id: 'things.put', operation: upload });
  const names = command.options.map(({ long }) => long);
  t.ok(names.includes('--program'));
  t.notOk(names.some((name) => name?.startsWith('--file')));
});
