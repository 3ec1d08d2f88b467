import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import joi, { type Schema } from 'joi';
import t, { type Test } from 'tap';
import { operations as agents } from '../../extensions/agents/operations.js';
import { operations as chat } from '../../extensions/chat/operations.js';
import { operations as marketplace } from '../../extensions/marketplace/operations.js';
import { operations as members } from '../../extensions/members/operations.js';
import { operations as nodes } from '../../extensions/nodes/operations.js';
import { operations as notifications } from '../../extensions/notifications/operations.js';
import { operations as schedules } from '../../extensions/schedules/operations.js';
import { operations as system } from '../../extensions/system/operations.js';
import type { JsonSchema, Operation } from '../../kernel/contract/index.js';
import { dataFromSchema } from '../../kernel/core/host/json-schema.js';

/** The type that lists inputs and answers, the module that exports it, and the operations whose schemas must agree with it. */
const apis: readonly [type: string, module: string, operations: Readonly<Record<string, Operation>>][] = [
  ['AgentsApi', 'extensions/agents/contract.js', agents],
  ['ChatApi', 'extensions/chat/contract.js', chat],
  ['MarketplaceApi', 'extensions/marketplace/contract.js', marketplace],
  ['MembersApi', 'extensions/members/contract.js', members],
  ['NodesApi', 'extensions/nodes/contract.js', nodes],
  ['NotificationsApi', 'extensions/notifications/contract.js', notifications],
  ['SchedulesApi', 'extensions/schedules/contract.js', schedules],
  ['SystemApi', 'kernel/contract/index.js', system],
];

/** A schema, and the type that is declared for what it accepts. */
interface Claim {
  name: string;
  schema: Schema;
  type: string;
}

/**
 * Assignability alone overlooks an optional key that one side lacks. So a key that may be missing becomes one that must be there,
 * with a mark beside its type. A key with a default is there for the handler; callers may leave it out, and a type may be for either.
 */
const strict = `
declare const absent: unique symbol;
type Filled<T, Key extends keyof T> = T extends readonly unknown[] ? T : Omit<T, Key> & Required<Pick<T, Key>>;
type Strict<T> = 0 extends 1 & T ? any : T extends readonly (infer Item)[] ? Strict<Item>[] : T extends object
  ? { [Key in keyof T]-?: Strict<T[Key]> | ({} extends Pick<T, Key> ? typeof absent : never) } : T;
`;

t.test('the declared types of inputs and answers equal their schemas', async (t) => {
  const imports = apis.map(([type, module]) => `import type { ${type} } from ${JSON.stringify(resolve(module))};`);
  t.same(await differences(t, apis.flatMap(claimsOf), imports.join('\n')), []);
});

t.test('keys, optional keys, values and types that only one side has are reported', async (t) => {
  const schema = joi.object({ id: joi.number().required(), state: joi.string().valid('on', 'off').required(), note: joi.string() });
  const types = {
    same: "{ id: number; state: 'on' | 'off'; note?: string }",
    key: "{ id: number; state: 'on' | 'off'; note?: string; more: string }",
    no_key: '{ id: number; note?: string }',
    optional_key: "{ id: number; state: 'on' | 'off' }",
    required_key: "{ id: number; state: 'on' | 'off'; note: string }",
    value: "{ id: number; state: 'on'; note?: string }",
    type: "{ id: string; state: 'on' | 'off'; note?: string }",
    null: "{ id: number | null; state: 'on' | 'off'; note?: string }",
  };
  const found = await differences(
    t,
    Object.entries(types).map(([name, type]) => ({ name, schema, type })),
  );
  const told = new Set(found.map((line) => line.split(':')[0]));
  t.same([...told], Object.keys(types).slice(1));
});

function claimsOf([api, , operations]: (typeof apis)[number]): Claim[] {
  return Object.entries(operations).flatMap(([id, { input, answer }]) => [
    ...(input ? [{ name: `${id} input`, schema: input(joi), type: `${api}['${id}']['input']` }] : []),
    ...(answer ? [{ name: `${id} answer`, schema: answer(joi), type: `${api}['${id}']['answer']` }] : []),
  ]);
}

/** Has the compiler assign a value of each side to the other, and gives what it says, behind the names of the claims. */
async function differences(t: Test, claims: readonly Claim[], imports = ''): Promise<string[]> {
  const before = imports + strict;
  const assignments = claims.map(({ schema, type }, index) => {
    const data = dataFromSchema(schema);
    const declared = `Filled<Exclude<${type}, undefined>, ${defaultsOf(data)}>`;
    return `export const pair${index} = (a: Strict<${typeOf(data)}>, b: Strict<${declared}>): [typeof b, typeof a] => [a, b];`;
  });
  const folder = t.testdir({
    'claims.ts': `${before}${assignments.join('\n')}\n`,
    'tsconfig.json': JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions: { noEmit: true, rootDir: '/' },
      include: ['claims.ts'],
    }),
  });
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const said = await new Promise<string>((done) => {
    execFile(process.execPath, [compiler, '--pretty', 'false', '-p', folder], (_fault, stdout, stderr) => done(stdout + stderr));
  });
  const first = before.split('\n').length;
  const named = (line: string) => line.replace(/^.*claims\.ts\((\d+),\d+\)/, (place, at) => claims[Number(at) - first]?.name ?? place);
  // The explanation of a fault is indented below it.
  return said
    .trimEnd()
    .split(/\n(?! )/)
    .filter(Boolean)
    .map(named);
}

/** The names of the keys that have a default, as a type. */
function defaultsOf({ properties = {} }: JsonSchema): string {
  const names = Object.keys(properties).filter((key) => properties[key]?.default !== undefined);
  return names.map((name) => JSON.stringify(name)).join(' | ') || 'never';
}

/** A schema as a type of TypeScript. What it leaves open fits anything. */
function typeOf({ anyOf, enum: values, type, 'x-convert': converted, ...rest }: JsonSchema): string {
  if (anyOf !== undefined) return anyOf.map((one) => `(${typeOf(one)})`).join(' | ');
  // Callers may write what is converted in another way.
  if (values !== undefined && converted === undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  return type === undefined
    ? 'any'
    : [type]
        .flat()
        .map((name) => namedType(name, rest))
        .join(' | ');
}

function namedType(name: unknown, { items, properties, required = [], additionalProperties: others }: JsonSchema): string {
  if (name === 'integer') return 'number';
  if (name === 'array') return `(${items === undefined ? 'any' : typeOf(items)})[]`;
  if (name !== 'object') return String(name);
  if (properties === undefined) return typeof others === 'object' ? `Record<string, ${typeOf(others)}>` : 'any';
  const keys = Object.entries(properties).map(([key, inner]) => {
    const mark = required.includes(key) || inner.default !== undefined ? '' : '?';
    return `${JSON.stringify(key)}${mark}: ${typeOf(inner)}`;
  });
  return `{ ${keys.join('; ')} }`;
}
