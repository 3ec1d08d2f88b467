import { createHash } from 'node:crypto';
import joi from 'joi';
import type { Secrets } from '../../contract/data.js';
import { type Fault, fail as failCore } from '../../contract/failure.js';
import type { Manifest } from '../../contract/manifest.js';
import type { JsonSchema } from '../../contract/schema.js';
import type { ShownSettings } from '../../contract/system.js';
import { fail } from '../host/codes.js';
import { type PatternMaker, schemaFromData } from '../host/joi-schema.js';
import { isWithinWork, type PatternSize } from '../host/schema-work.js';
import { withoutMarker } from '../host/secret-markers.js';
import { assertSafeValue } from '../invoke/safe-value.js';
import { unknownField } from '../invoke/unknown-fields.js';
import type { Data } from '../ports.js';

type Values = Readonly<Record<string, unknown>>;

/** Stored settings: secrets are separate and sealed one by one. */
interface Stored {
  values: Values;
  sealed: Readonly<Record<string, string>>;
}

/** An extension's settings, and a mark that identifies the stored values. */
interface Effective {
  config: Values;
  mark: string;
}

/** Returns the pattern compiler and the pattern sizes for one extension's schemas. */
export type Patterns = (extension: string) => Promise<{ make: PatternMaker; size: PatternSize }>;

const prefix = 'plugin_config:';
const nothing: Stored = { values: {}, sealed: {} };
const max_bytes = 64 * 1024;
/** Step limit of checking settings as a whole, because a plugin wrote the schema and the check blocks the process. */
const max_steps = 20_000;

/** Settings of plugins, made by administrators. They survive new versions. */
export class PluginSettings {
  readonly #data: Data;
  readonly #secrets: Secrets;
  readonly #patterns: Patterns;

  constructor({ data, secrets, patterns }: { data: Data; secrets: Secrets; patterns: Patterns }) {
    this.#data = data;
    this.#secrets = secrets;
    this.#patterns = patterns;
  }

  /** Returns the effective settings: stored values that the schema accepts, and defaults for the others. */
  async effective(manifest: Manifest): Promise<Effective> {
    if (!manifest.config) return { config: {}, mark: '' };
    const text = (await this.#texts([manifest.id])).get(manifest.id);
    return { config: await this.#accepted(manifest, this.#opened(parseStored(text))), mark: markOf(text) };
  }

  /** Returns the marks of the stored settings. */
  async marks(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const texts = await this.#texts(ids);
    return new Map(ids.map((id) => [id, markOf(texts.get(id))]));
  }

  async toPublic(manifest: Manifest): Promise<ShownSettings> {
    const schema = schemaOf(manifest);
    const { values, sealed } = await this.#read(manifest.id);
    const known = Object.entries(values).filter(([name]) => !secretsOf(schema).includes(name));
    return { schema, config: Object.fromEntries(known), secrets: Object.keys(sealed).sort() };
  }

  /**
   * Checks new settings, which replace all stored ones except secrets: an absent secret stays, a null one is deleted. Returns the
   * effective settings and a function that stores them.
   */
  async prepare(manifest: Manifest, given: Values): Promise<{ effective: Effective; store: () => Promise<void> }> {
    const secrets = secretsOf(schemaOf(manifest));
    const before = await this.#read(manifest.id);
    const isUnchangedSecret = (name: string) => secrets.includes(name) && !Object.hasOwn(given, name);
    const unchangedSecrets = Object.fromEntries(Object.entries(before.sealed).filter(([name]) => isUnchangedSecret(name)));
    const wanted = Object.entries({ ...this.#opened({ values: {}, sealed: unchangedSecrets }), ...given });
    const values = Object.fromEntries(wanted.filter(([name, value]) => !(secrets.includes(name) && value === null)));
    const checked = await this.#checked(manifest, values, secrets);
    const kept = this.#sealed(checked, secrets);
    const text = JSON.stringify(kept);
    if (text.length > max_bytes) throw invalid([{ path: 'config', message: `must not be longer than ${max_bytes} characters` }]);
    const effective = { config: await this.#accepted(manifest, checked), mark: markOf(text) };
    return { effective, store: () => this.#write(manifest.id, text) };
  }

  /** Deletes the settings of an extension within the current transaction. */
  async forget(id: string): Promise<void> {
    await this.#data.models.settings.destroy({ where: { key: keyOf(id) } });
  }

  async #checked(manifest: Manifest, values: Values, secrets: readonly string[]): Promise<Values> {
    const data = withoutSecretMarkers(schemaOf(manifest));
    const { make, size } = await this.#patterns(manifest.id);
    const schema = schemaFromData(joi, data, make);
    assertSafeValue(values);
    if (!isWithinWork(data, values, { limit: max_steps, patternSize: size }))
      throw invalid([{ path: 'config', message: `takes more than ${max_steps} steps to check against its schema` }]);
    const { error } = schema.validate(values, { abortEarly: false, convert: false });
    if (!error) return values;
    const isUnknown = ({ type }: { type: string }) => type === 'object.unknown';
    const faults = error.details.map((fault) => {
      // Joi's message would quote the secret.
      const text = secrets.includes(String(fault.path[0])) ? `"${fault.path[0]}" does not match the schema` : fault.message;
      const message = isUnknown(fault) ? unknownField(fault.path.map(String), schemaOf(manifest)).message : text;
      return { path: ['config', ...fault.path].join('.'), message };
    });
    throw invalid(faults, error.details.every(isUnknown) ? 'unknown_field' : 'invalid_input');
  }

  /** Returns accepted values and defaults. Values that an older version accepted but this schema doesn't are dropped. */
  async #accepted(manifest: Manifest, values: Values): Promise<Values> {
    const { properties = {} } = schemaOf(manifest);
    const { make, size } = await this.#patterns(manifest.id);
    const isCheap = isWithinWork(withoutSecretMarkers(schemaOf(manifest)), values, { limit: max_steps, patternSize: size });
    const accepted = Object.entries(properties).flatMap(([name, property]) => {
      const schema = schemaFromData(joi, withoutMarker(property), make);
      const given = schema.validate(isCheap ? values[name] : undefined, { convert: false });
      const value: unknown = given.error ? schema.validate(undefined).value : given.value;
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(accepted);
  }

  #opened({ values, sealed }: Stored): Values {
    const opened = Object.entries(sealed).map(([name, text]) => [name, JSON.parse(this.#secrets.open(text).toString()) as unknown]);
    return { ...values, ...(Object.fromEntries(opened) as Values) };
  }

  #sealed(values: Values, secrets: readonly string[]): Stored {
    const entries = Object.entries(values);
    const seal = (value: unknown) => this.#secrets.seal(Buffer.from(JSON.stringify(value)));
    return {
      values: Object.fromEntries(entries.filter(([name]) => !secrets.includes(name))),
      sealed: Object.fromEntries(entries.filter(([name]) => secrets.includes(name)).map(([name, value]) => [name, seal(value)])),
    };
  }

  async #read(id: string): Promise<Stored> {
    return parseStored((await this.#texts([id])).get(id));
  }

  /** Reads the stored texts, by extension. */
  async #texts(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#data.models.settings.findAll({ where: { key: ids.map(keyOf) }, raw: true });
    return new Map(rows.map(({ key, value }) => [key.slice(prefix.length), value]));
  }

  async #write(id: string, text: string): Promise<void> {
    await this.#data.models.settings.upsert({ key: keyOf(id), value: text });
  }
}

function keyOf(id: string): string {
  return `${prefix}${id}`;
}

function parseStored(text: string | undefined): Stored {
  return text === undefined ? nothing : (JSON.parse(text) as Stored);
}

/** Returns a hash of the stored text. Setting the same secret again changes it too, because each sealing differs. */
function markOf(text: string | undefined): string {
  return text === undefined ? '' : createHash('sha256').update(text).digest('base64');
}

function schemaOf({ id, config }: Manifest): JsonSchema {
  if (config) return config as JsonSchema;
  throw fail('plugin_without_config', `Extension '${id}' has no settings that can be changed here`);
}

/** Returns the names of secret settings: `writeOnly`, or of the format `password`. */
function secretsOf({ properties = {} }: JsonSchema): string[] {
  const isSecret = (property: object) => {
    const { writeOnly, format } = property as { writeOnly?: boolean; format?: string };
    return writeOnly === true || format === 'password';
  };
  return Object.keys(properties).filter((name) => isSecret(properties[name] as object));
}

/** Returns the schema without the markers of secrets, which `schemaFromData` doesn't support. */
function withoutSecretMarkers(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, withoutMarker(property)]);
  return { ...schema, properties: Object.fromEntries(entries) as Record<string, JsonSchema> };
}

function invalid(details: Fault[], code: 'invalid_input' | 'unknown_field' = 'invalid_input') {
  const sentence = details
    .slice(0, 5)
    .map(({ message }) => message)
    .join('. ');
  return failCore(code, `The settings are not valid: ${sentence}`, { details: details.slice(0, 100) });
}
