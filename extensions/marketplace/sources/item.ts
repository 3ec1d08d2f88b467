import semver from 'semver';
import type { BundleSignature, Manifest, Permissions } from '../../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { SourceItem } from './source.js';

/** Matches control characters, and invisible tags that a model would read as letters. */
const forbidden_characters = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

type Check = (value: unknown) => boolean;

const line =
  (max: number, min = 0): Check =>
  (value) =>
    typeof value === 'string' && value.length >= min && value.length <= max && !forbidden_characters.test(value);
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const lines =
  (max_items: number, max_length: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= max_items && value.every(line(max_length, 1));
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isVersion: Check = (value) => matches(/^[0-9][!-~]{1,199}$/)(value) && semver.valid(value as string) !== null;
const isTime: Check = (value) =>
  matches(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/)(value) && !Number.isNaN(Date.parse(value as string));
const isRange: Check = (value) => line(200, 1)(value) && semver.validRange(value as string) !== null;

const permissions: Record<keyof Permissions, Check> = {
  operations: lines(200, 200),
  events: lines(200, 200),
  network: lines(100, 260),
  storage: oneOf(true, false),
  env: lines(50, 64),
  public_routes: oneOf(true, false),
};

const checks = {
  id: matches(/^[a-z0-9][a-z0-9._-]{1,63}$/),
  name: line(64, 1),
  type: oneOf('plugin', 'skill'),
  version: isVersion,
  author: line(200, 1),
  description: line(2_000),
  category: optional(matches(/^([a-z0-9][a-z0-9-]{0,31})?$/)),
  tags: optional(lines(20, 32)),
  content_hash: matches(/^sha256:[0-9a-f]{64}$/),
  created_at: optional(isTime),
  updated_at: optional(isTime),
  readme: optional((value) => typeof value === 'string'),
  engines: optional((value) => isObject(value) && optional(isRange)(value.platform)),
  permissions: optional((value) => isObject(value) && Object.entries(permissions).every(([key, check]) => optional(check)(value[key]))),
  signature: optional((value) => isObject(value) && line(100, 1)(value.public_key) && line(200, 1)(value.signature)),
} satisfies Record<keyof SourceItem, Check>;

/**
 * Validates a source's record of a version and drops unknown fields.
 *
 * @throws `source_invalid`, naming the place and the field
 */
export function readItem(value: unknown, place: string): SourceItem {
  if (!isObject(value)) throw fail('source_invalid', `${place} is not an object`);
  const wrong = Object.entries(checks).find(([key, check]) => !check(value[key]));
  if (wrong !== undefined) throw fail('source_invalid', `${place} has an invalid ${wrong[0]}`);
  const found = value as unknown as SourceItem;
  return {
    id: found.id,
    name: found.name,
    type: found.type,
    author: found.author,
    version: found.version,
    description: found.description,
    category: found.category ?? '',
    tags: found.tags ?? [],
    content_hash: found.content_hash,
    ...definedField('created_at', found.created_at),
    ...definedField('updated_at', found.updated_at),
    ...definedField('readme', found.readme),
    ...definedField('engines', enginesOf(found.engines)),
    ...definedField('permissions', permissionsOf(found.permissions)),
    ...definedField('signature', signatureOf(found.signature)),
  };
}

function definedField<Key extends string, Value>(key: Key, value: Value | null | undefined): { [K in Key]?: Value } {
  return value === undefined || value === null ? {} : ({ [key]: value } as { [K in Key]: Value });
}

function enginesOf(engines: Manifest['engines']): Manifest['engines'] {
  return typeof engines?.platform === 'string' ? { platform: engines.platform } : undefined;
}

function permissionsOf(announced: Permissions | undefined): Permissions | undefined {
  if (!announced) return undefined;
  const known = Object.keys(permissions) as (keyof Permissions)[];
  return Object.fromEntries(
    known.filter((key) => announced[key] !== undefined && announced[key] !== null).map((key) => [key, announced[key]]),
  );
}

function signatureOf(announced: BundleSignature | undefined): BundleSignature | undefined {
  return announced ? { public_key: announced.public_key, signature: announced.signature } : undefined;
}
