import { Argument, type Command, Option } from 'commander';
import type { CommandHint, OperationData, ReferenceKind } from '../kernel/contract/manifest.js';
import type { JsonSchema } from '../kernel/contract/schema.js';
import { UsageError } from './exit.js';

/** A leaf of the tree of commands: the operation that it calls, with the extension's hints for the command line. */
export interface Leaf {
  /** Id of the operation. */
  id: string;
  operation: OperationData;
  hint?: CommandHint | undefined;
  /** The stream that `--follow` reads afterwards, and the keys of the answer that are its input. */
  next?: { leaf: Leaf; keys: readonly string[] } | undefined;
  /** The operation that uploads the files of a flag before the call. */
  upload?: Leaf | undefined;
}

/** Flags that every command has. */
const common = ['help', 'version', 'json', 'yes', 'url', 'profile', 'data_dir', 'config', 'debug'];

/** Returns the names of a command's own flags. An input key with such a name gets the suffix `-value`. */
function reservedNames({ operation, next }: Leaf): string[] {
  return [...common, ...(operation.kind === 'upload' ? ['file'] : []), ...(next === undefined ? [] : ['follow'])];
}

/** A flag for a key of an operation's input, with its allowed values if the schema lists them. */
export class InputOption extends Option {
  values: readonly string[] = [];
  /** Kind of records whose names it accepts. */
  refers: ReferenceKind | undefined;

  /** Sets the allowed values from the key's schema. */
  of({ enum: values = [], items }: JsonSchema): this {
    this.values = (values.length > 0 ? values : (items?.enum ?? [])).filter((value) => value !== null && value !== '').map(String);
    return this;
  }
}

/** A positional argument for a key of an operation's input. */
export class InputArgument extends Argument {
  readonly values: readonly string[];
  /** Kind of records whose names it accepts. */
  readonly refers: ReferenceKind | undefined;
  /** Whether it takes the path of a local file. */
  readonly isPath: boolean;

  constructor(name: string, schema: JsonSchema, { refers, isPath }: { refers: ReferenceKind | undefined; isPath: boolean }) {
    super(name, describe(schema));
    this.refers = refers;
    this.isPath = isPath;
    this.values = (schema.enum ?? []).filter((value) => value !== null && value !== '').map(String);
    if (this.values.length > 0) this.description = [this.description, `(${this.values.join(', ')})`].filter(Boolean).join(' ');
  }
}

interface Flag {
  key: string;
  /** The object of the input that contains the key; undefined for the input itself. */
  within?: string | undefined;
  schema: JsonSchema;
  option: Option;
}

/** Adds arguments and flags for an operation's input to a command; returns the function that reads the input from them. */
export function addInput(command: Command, leaf: Leaf): (args: readonly unknown[]) => Record<string, unknown> {
  const { properties = {}, required = [] } = leaf.operation.input as JsonSchema;
  const positional = positionalKeys(leaf);
  const { secrets = [], refers = {} } = leaf.hint ?? {};
  for (const key of positional) {
    const dots = key === positional.at(-1) && isWords(properties[key] ?? {}) ? '...' : '';
    const isNeeded = (required.includes(key) && leaf.hint?.attachments?.instead_of !== key) || isInPath(leaf, key);
    const name = isNeeded ? `<${key}${dots}>` : `[${key}${dots}]`;
    const use = { refers: refers[key], isPath: isUploaded(leaf, key) };
    command.addArgument(new InputArgument(name, withReferenceText(leaf, key, properties[key] ?? {}), use));
  }
  const spread = leaf.hint?.spread ?? [];
  const reserved = reservedNames(leaf);
  const preset = leaf.hint?.preset ?? {};
  const flags = Object.keys(properties)
    .filter((key) => !positional.includes(key) && !secrets.includes(key) && !isUploaded(leaf, key) && !(key in preset))
    .flatMap((key) =>
      spread.includes(key)
        ? flagsWithin(key, properties[key] ?? {}, reserved)
        : flagsOf(key, withReferenceText(leaf, key, properties[key] ?? {}), {
            required: required.includes(key),
            name: leaf.hint?.flags?.[key],
            refers: refers[key],
            changes: leaf.operation.method === 'PUT',
            reserved,
          }),
    );
  for (const [name, key] of Object.entries(leaf.hint?.aliases ?? {}))
    flags.push(
      ...flagsOf(key, withReferenceText(leaf, key, properties[key] ?? {}), { required: false, name, refers: refers[key], reserved }),
    );
  for (const { option } of flags) command.addOption(option);
  for (const key of secrets)
    command.option(`--${dashed(key)}-stdin`, `Read the ${words(key)} from standard input; otherwise the command asks for it`);
  return (args) => {
    const positionalValues = positional.map((key, index) => {
      const words = args[index];
      if (Array.isArray(words) && words.length > 1) return { key, value: words };
      const text = words === undefined ? undefined : String(words);
      // The file of an upload is a path, whatever its schema says.
      return { key, value: text === undefined || isUploaded(leaf, key) ? text : parse(properties[key] ?? {}, key, text) };
    });
    const flagValues = flags.map(({ key, within, schema, option }) => {
      return { key, within, value: fromOption(command.getOptionValue(option.attributeName()), schema, key) };
    });
    const presetValues = Object.entries(preset).map(([key, value]) => ({ key, value }));
    return inputFrom([...flagValues, ...positionalValues, ...presetValues]);
  };
}

/** Returns whether a key accepts plain words: one as a string, several as a list of strings. */
function isWords({ anyOf = [] }: JsonSchema): boolean {
  const isText = (schema: JsonSchema) => typeOf(schema) === 'string' && schema.enum === undefined;
  return anyOf.some(isText) && anyOf.some(({ items }) => items !== undefined && isText(items));
}

const byName = 'or the name';
const byPart = 'or at least 4 characters of its beginning or end';

/** Texts for help: alternatives to an id. `kernel/client/references.ts` finds it; loading that would delay help. */
const alternatives: Readonly<Record<ReferenceKind, string | undefined>> = {
  member: byName,
  employee: byName,
  node: byName,
  schedule: byName,
  token: byName,
  extension: byName,
  'installed extension': byName,
  'trusted key': byName,
  session: `${byPart}, or the title of a room`,
  'open room': 'or the title',
  message: byPart,
  task: byPart,
  run: byPart,
  approval: byPart,
  notification: undefined,
  audit: undefined,
};

/** Returns the schema of a key; if the key holds an id, its description names the accepted alternatives. */
function withReferenceText({ hint }: Leaf, key: string, schema: JsonSchema): JsonSchema {
  const kind = hint?.refers?.[key];
  if (kind === undefined) return schema;
  const instead = alternatives[kind];
  if (instead === undefined) return schema;
  return { ...schema, description: schema.description === undefined ? `The id, ${instead}` : `${schema.description}; ${instead}` };
}

interface InputValue {
  key: string;
  within?: string | undefined;
  value: unknown;
}

/** Builds the input from the values that are set. */
function inputFrom(all: readonly InputValue[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const { key, within, value } of all.filter((one) => one.value !== undefined)) {
    if (within === undefined) input[key] = value;
    else input[within] = { ...(input[within] as object | undefined), [key]: value };
  }
  return input;
}

function flagsWithin(within: string, { properties = {}, required = [] }: JsonSchema, reserved: readonly string[]): Flag[] {
  return Object.entries(properties).flatMap(([key, schema]) =>
    flagsOf(key, schema, { required: required.includes(key), reserved }).map((flag) => ({ ...flag, within })),
  );
}

/** Returns the positional keys: those of the hint, and all parameters of the path. */
function positionalKeys({ operation, hint }: Leaf): string[] {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const hinted = hint?.arguments ?? [];
  const preset = hint?.preset ?? {};
  return [...hinted, ...inPath.filter((key) => !hinted.includes(key) && !(key in preset))];
}

/** Returns whether a key is the file of an upload. It is set by `--file` unless the hint makes it positional. */
function isUploaded({ operation }: Leaf, key: string): boolean {
  return operation.kind === 'upload' && key === 'file';
}

function isInPath({ operation }: Leaf, key: string): boolean {
  return operation.path.includes(`{${key}}`);
}

interface FlagUse {
  required: boolean;
  name?: string | undefined;
  /** Kind of records whose names it accepts. */
  refers?: ReferenceKind | undefined;
  /** The operation updates a record, so that false must be as easy to set as true. */
  changes?: boolean;
  /** Names of the command's own flags. */
  reserved: readonly string[];
}

function flagsOf(key: string, schema: JsonSchema, { required, name: hintedName, refers, changes = false, reserved }: FlagUse): Flag[] {
  const name = hintedName ?? (reserved.includes(key) ? `${dashed(key)}-value` : dashed(key));
  const text = describe(schema) + (required ? ' (required)' : '');
  if (typeOf(schema) !== 'boolean') {
    const option = new InputOption(`--${name} <${placeholder(schema)}>`, text).of(schema).makeOptionMandatory(required);
    option.refers = refers;
    if (typeOf(schema) === 'array') option.argParser((value, previous: string[] | undefined) => [...(previous ?? []), value]);
    return [{ key, schema, option }];
  }
  const option = changes
    ? new Option(`--${name} [true|false]`, text).argParser((value) => trueOrFalse(name, value))
    : new Option(`--${name}`, text);
  const flags = [{ key, schema, option }];
  // Without the default false, leaving the flag out doesn't mean false, so a negated flag is needed.
  if (schema.default !== false) flags.push({ key, schema, option: new Option(`--no-${name}`, schema.default === true ? text : '') });
  // Passing it means the same as leaving it out, so help doesn't list it. Scripts may still pass it.
  if (schema.default === true) option.hideHelp();
  return flags;
}

function trueOrFalse(name: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new UsageError(`--${name} takes true or false, not '${value}'`);
}

function typeOf({ type, anyOf }: JsonSchema): string {
  if (anyOf !== undefined) return anyOf.some((member) => typeOf(member) === 'string') ? 'string' : 'any';
  return [type].flat().find((one) => one !== 'null' && one !== undefined) ?? 'any';
}

function placeholder(schema: JsonSchema): string {
  const names: Record<string, string> = { string: 'text', integer: 'number', number: 'number', array: 'item', object: 'json', any: 'json' };
  return schema.enum !== undefined && schema.enum.length < 6
    ? schema.enum.filter((value) => value !== null).join('|')
    : (names[typeOf(schema)] ?? 'text');
}

function describe(schema: JsonSchema): string {
  const repeat = typeOf(schema) === 'array' ? 'repeatable' : undefined;
  const fallback = schema.default === undefined || schema.default === '' ? undefined : `default: ${JSON.stringify(schema.default)}`;
  const notes = [repeat, fallback].filter((note) => note !== undefined);
  return [schema.description ?? '', notes.length > 0 ? `(${notes.join('; ')})` : ''].filter((part) => part !== '').join(' ');
}

function fromOption(value: unknown, schema: JsonSchema, key: string): unknown {
  if (Array.isArray(value)) return value.flatMap((one: string) => items(schema, one)).map((one) => parse(schema.items ?? {}, key, one));
  return typeof value === 'string' ? parse(schema, key, value) : value;
}

/** Splits a text at commas if no item can contain one. */
function items({ items: schema = {} }: JsonSchema, text: string): string[] {
  return schema.enum !== undefined || ['integer', 'number'].includes(typeOf(schema)) ? text.split(',') : [text];
}

/** Converts the text of a flag to a value of the schema's type. The operation validates it. */
function parse(schema: JsonSchema, key: string, text: string): unknown {
  const type = typeOf(schema);
  const list = schema.anyOf?.find((member) => typeOf(member) === 'array');
  if (list) return oneOrSeveral(schema, list, { key, text });
  if (type === 'string') return text;
  if (text === 'null' && [schema.type].flat().includes('null')) return null;
  if (type === 'integer' || type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'boolean') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (type === 'any') return text;
    throw new UsageError(`'${text}' for ${key} is not JSON`);
  }
}

/** Returns the text itself if a member of the schema accepts it (`all`), otherwise the items of `first,second`. */
function oneOrSeveral({ anyOf = [] }: JsonSchema, { items: item = {} }: JsonSchema, { key, text }: { key: string; text: string }): unknown {
  const acceptsText = (member: JsonSchema) => (member.enum === undefined ? typeOf(member) === 'string' : member.enum.includes(text));
  if (anyOf.some(acceptsText)) return text;
  return text === '' ? [] : text.split(',').map((one) => parse(item, key, one.trim()));
}

/** Returns a key as flags spell it: `member_id` is `member-id`. */
export function dashed(key: string): string {
  return key.replaceAll('_', '-');
}

/** Returns a key as words: `member_id` is `member id`. */
export function words(key: string): string {
  return key.replaceAll('_', ' ');
}
