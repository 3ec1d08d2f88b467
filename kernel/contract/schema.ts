export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/**
 * The part of JSON Schema (draft 2020-12) in which inputs and answers travel as data. It is closed: what
 * is not named here is refused, never ignored.
 *
 * It says what Joi accepts: text has at least one character unless `minLength` is left out or 0; keys
 * that `properties` doesn't name never reach who reads the value, unless `additionalProperties` admits them.
 */
export interface JsonSchema {
  type?: JsonType | readonly JsonType[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: readonly unknown[];
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  /** Text. `pattern` is searched for anywhere, as `RegExp` does; `x-flags` are its flags, `x-pattern-name` is what errors call it, at most 100 characters. */
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  'x-flags'?: string;
  'x-pattern-name'?: string;
  /** `date-time` is ISO 8601 in inputs, also a date alone; in answers it has a zone, as RFC 3339 wants; `uri` has one of the schemes of `x-schemes`, where they are given. */
  format?: 'date-time' | 'uuid' | 'uri' | 'email' | 'hostname' | 'binary';
  'x-schemes'?: readonly string[];
  /** Conversions of a text before it is checked. */
  'x-convert'?: readonly ('trim' | 'lower' | 'upper')[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  /** A single value is taken as a list of one, as queries give it. */
  'x-single'?: boolean;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: true | JsonSchema;
  minProperties?: number;
  maxProperties?: number;
  /** Rules about keys: at least one (`anyOf`), exactly one (`oneOf`), not all (`not`) of them must be there. */
  allOf?: readonly KeyRule[];
}

export type KeyRule =
  | { readonly anyOf: readonly { readonly required: readonly [string] }[] }
  | { readonly oneOf: readonly { readonly required: readonly [string] }[] }
  | { readonly not: { readonly required: readonly string[] } };

/**
 * Whether a pattern means the same to other readers of JSON Schema, who know no flags and compile it as Unicode (draft 2020-12, 6.4).
 * One that does not would refuse what is accepted, or the whole schema.
 */
export function isStandardPattern({ pattern = '', 'x-flags': flags = '' }: Pick<JsonSchema, 'pattern' | 'x-flags'>): boolean {
  if (!/^[ugd]*$/.test(flags)) return false;
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}
