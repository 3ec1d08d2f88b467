import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Failure, type Fault, failures } from '../kernel/contract/failure.js';
import { jsonFault } from '../kernel/contract/json-fault.js';
import { nearestName, suggestion } from '../kernel/contract/nearest.js';
import { shellWord } from '../kernel/contract/shell-word.js';
import { withoutCredentials } from './credentials.js';
import { commandLineVariables, isForeign, isServiceLink } from './foreign-variables.js';
import { type Config, type Setting, type SettingKey, settings } from './schema.js';

/** Returns faults of settings that contradict each other although each is valid. */
function contradictions(config: Config): readonly Fault[] {
  return [...unencryptedToken(config), ...busWithoutServer(config)];
}

/** Reports a shared bus with SQLite: only the first of several instances could open the file. */
function busWithoutServer({ bus_url, database_url }: Config): readonly Fault[] {
  if (bus_url === 'memory:' || !database_url.startsWith('sqlite:')) return [];
  const message =
    'bus_url connects several instances, but SQLite serves only one: expected database_url as ' +
    'postgres://user:password@host/name (PLATFORM_DATABASE_URL), or bus_url as memory: (PLATFORM_BUS_URL)';
  return [{ path: 'bus_url', message }];
}

function unencryptedToken({ marketplace: { upstream_registry, upstream_token } }: Config): readonly Fault[] {
  if (upstream_token === '' || !isUnencrypted(upstream_registry)) return [];
  const message = `marketplace.upstream_token would be sent unencrypted to ${upstream_registry}: expected an address with https://, or no token`;
  return [{ path: 'marketplace.upstream_token', message }];
}

/** Returns whether requests to an address can be read on the network. */
function isUnencrypted(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export type { Config } from './schema.js';

export interface LoadOptions {
  /** A JSON file. Default: the one that `PLATFORM_CONFIG` names. */
  file?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Values of flags, by dotted key; undefined means not set. */
  overrides?: Readonly<Partial<Record<SettingKey, unknown>>>;
}

const fail = failures({ config_invalid: 400 });
const keys = Object.keys(settings) as SettingKey[];
// The file is in the source folder and is not compiled: from dist/config it is two folders up.
const defaults = new URL('../../config/default.json', import.meta.url);

/** A value found for a key, with its place for messages, and its source. */
interface Found {
  value: unknown;
  place: string;
  source: string;
  /** The configuration file that contains it. */
  file?: string;
}

/** Source of each setting: `default`, `file <path>`, `environment <variable>` or `flag`. */
export type SettingSources = Readonly<Record<SettingKey, string>>;

export interface LoadedSettings {
  config: Config;
  sources: SettingSources;
}

/**
 * Loads the settings: default ← file ← environment ← flags. Reports all invalid ones at once, by key and
 * place, with the expected and the found value (except secrets).
 *
 * @throws `config_invalid`
 */
export function loadConfig(options: LoadOptions): Config {
  return loadSettings(options).config;
}

/**
 * Loads the settings like `loadConfig`, with the source of each.
 *
 * @throws `config_invalid`
 */
export function loadSettings(options: LoadOptions): LoadedSettings {
  const faults: FoundFault[] = [];
  const file = options.file ?? (options.env.PLATFORM_CONFIG || undefined);
  const layers = [
    fromFile(defaults, faults),
    file === undefined ? {} : fromFile(file, faults),
    fromEnvironment(options.env, faults),
    fromFlags(options.overrides ?? {}),
  ];
  const found: Partial<Record<SettingKey, Found>> = Object.assign({}, ...layers);
  const config = {};
  for (const key of keys) set(config, key, check(key, found[key], faults));
  if (faults.length === 0) faults.push(...contradictions(config as Config));
  if (faults.length > 0) throw invalid(faults);
  const sources = Object.fromEntries(keys.map((key) => [key, found[key]?.source ?? 'default'])) as Record<SettingKey, string>;
  return { config: freeze(config) as Config, sources };
}

/** A fault of a setting. */
interface FoundFault extends Fault {
  /** The configuration file that contains it. */
  file?: string;
}

function invalid(faults: readonly FoundFault[]): Failure {
  const count = faults.length === 1 ? '1 setting is' : `${faults.length} settings are`;
  const details = faults.map(({ path, message }) => ({ path, message }));
  const files = [...new Set(faults.map(({ file }) => file))];
  const fix = files
    .map((file) =>
      file === undefined ? 'check the environment with: env | grep ^PLATFORM_' : `correct the settings file: ${shellWord(file)}`,
    )
    .join('; ');
  return fail('config_invalid', `${count} wrong: ${faults.map((fault) => fault.message).join('; ')}`, { details, fix });
}

function fromFile(file: string | URL, faults: FoundFault[]): Partial<Record<SettingKey, Found>> {
  const name = file instanceof URL ? 'config/default.json' : file;
  const source = file instanceof URL ? 'default' : `file ${resolve(file)}`;
  const report = (path: string, message: string) => void faults.push({ path, message, file: name });
  const content = contentOf(file, (reason) => report('config', `the configuration file ${name} ${reason}`));
  if (content === undefined) return {};
  const found = flatten(content);
  const unknown = Object.keys(found).filter((key) => !Object.hasOwn(settings, key));
  for (const path of unknown) report(path, sentence(`${path} in ${name} is not a known setting`, suggestion(path, keys)));
  return Object.fromEntries(
    keys
      .filter((key) => Object.hasOwn(found, key))
      .map((key) => [key, { value: found[key], place: `${key} in ${name}`, source, file: name }]),
  );
}

/** Reads a JSON object from a file; calls `report` with the reason and returns undefined if there is none. */
function contentOf(file: string | URL, report: (reason: string) => void): object | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    report(`can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    return undefined;
  }
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
    report('is not a JSON object');
  } catch {
    const fault = jsonFault(text);
    report(`is not JSON${fault === undefined ? '' : `: line ${fault.line}, column ${fault.column}: ${fault.message}`}`);
  }
  return undefined;
}

/** Flattens an object to leaves by dotted key. Lists and object-valued settings are leaves. */
function flatten(value: unknown, prefix = ''): Record<string, unknown> {
  if (Object.hasOwn(settings, prefix)) return { [prefix]: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [prefix]: value };
  return Object.assign({}, ...Object.entries(value).map(([key, inner]) => flatten(inner, prefix === '' ? key : `${prefix}.${key}`)));
}

const prefix = 'PLATFORM_';

/** Fails with `config_invalid` if a variable with the platform's prefix is unknown. */
export function assertEnvironment(env: LoadOptions['env']): void {
  const faults = unknownVariables(env);
  if (faults.length > 0) throw invalid(faults);
}

function unknownVariables(env: LoadOptions['env']): Fault[] {
  const known = keys.flatMap((key) => {
    const { environment, secret }: Setting = settings[key];
    return secret === true ? [environment, `${environment}_FILE`] : [environment];
  });
  const isUnknown = ([name, value]: readonly [string, string | undefined]) =>
    name.startsWith(prefix) && value !== undefined && value !== '' && !known.includes(name) && !isForeign(name, value);
  return Object.entries(env)
    .filter(isUnknown)
    .map(([path]) => ({ path, message: `${path} is not a known setting. ${hintFor(path, known)}` }));
}

function hintFor(name: string, known: readonly string[]): string {
  const value = name.replace(/_FILE$/, '');
  if (value !== name && known.includes(value)) return `Only secrets can be read from files: set ${value}`;
  const near = nearestName(
    name.slice(prefix.length),
    [...known, ...commandLineVariables].map((one) => one.slice(prefix.length)),
  );
  return near === undefined ? 'docs/reference/settings.md lists all settings' : `Did you mean ${prefix}${near}?`;
}

function sentence(text: string, hint: string): string {
  return hint === '' ? text : `${text}. ${hint}`;
}

// An empty variable counts as not set: container tools pass unset variables that way.
function fromEnvironment(env: LoadOptions['env'], faults: Fault[]): Partial<Record<SettingKey, Found>> {
  const found: Partial<Record<SettingKey, Found>> = {};
  faults.push(...unknownVariables(env));
  for (const key of keys) {
    const setting: Setting = settings[key];
    const name = [setting.environment, setting.fallback].find((one) => one !== undefined && env[one] && !isServiceLink(one, env[one]));
    if (name !== undefined) found[key] = { value: env[name], place: `${key} (${name})`, source: `environment ${name}` };
    const file = setting.secret === true ? env[`${setting.environment}_FILE`] : undefined;
    if (file) readSecret(key, { name: `${setting.environment}_FILE`, file, found, faults });
  }
  return found;
}

interface SecretFile {
  name: string;
  file: string;
  found: Partial<Record<SettingKey, Found>>;
  faults: Fault[];
}

function readSecret(key: SettingKey, { name, file, found, faults }: SecretFile): void {
  if (found[key] !== undefined) {
    faults.push({ path: key, message: `${key}: both ${settings[key].environment} and ${name} are set, expected one of them` });
    return;
  }
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    found[key] = { value, place: `${key} (${name})`, source: `environment ${name}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    faults.push({ path: key, message: `${key} (${name}): expected a file that can be read, found ${code ?? 'none'} at ${file}` });
  }
}

function fromFlags(overrides: NonNullable<LoadOptions['overrides']>): Partial<Record<SettingKey, Found>> {
  const setKeys = keys.filter((key) => overrides[key] !== undefined);
  return Object.fromEntries(setKeys.map((key) => [key, { value: overrides[key], place: `${key} (flag)`, source: 'flag' }]));
}

function check(key: SettingKey, found: Found | undefined, faults: FoundFault[]): unknown {
  const setting: Setting = settings[key];
  const value = setting.type.read(found?.value);
  if (value !== undefined) return key === 'data_dir' ? resolve(value as string) : value;
  const inFile = found?.file === undefined ? {} : { file: found.file };
  const parts = setting.type.explain?.(found?.value);
  if (parts) {
    for (const part of parts) faults.push({ path: key, message: `${found?.place ?? key}: ${part}`, ...inFile });
    return undefined;
  }
  const foundText =
    setting.secret === true
      ? 'another value (hidden, because it is a secret)'
      : (JSON.stringify(withoutCredentials(found?.value)) ?? 'nothing');
  faults.push({ path: key, message: `${found?.place ?? key}: expected ${setting.type.expected}, found ${foundText}`, ...inFile });
  return undefined;
}

function set(target: object, key: string, value: unknown): void {
  const [first = '', ...rest] = key.split('.');
  const record = target as Record<string, unknown>;
  if (rest.length === 0) {
    record[first] = value;
    return;
  }
  record[first] ??= {};
  set(record[first] as object, rest.join('.'), value);
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
