export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/**
 * The part of JSON Schema (draft 2020-12) that describes inputs and answers as data. Keywords that are not named here are refused, never
 * ignored.
 *
 * The meaning is Joi's: a text has at least one character unless `minLength` is left out or 0; keys that `properties` doesn't name are
 * refused or dropped unless `additionalProperties` admits them.
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
  /**
   * `date-time`: of the years 1 to 9999; in inputs ISO 8601, possibly only a date; in answers with a zone, as RFC 3339 requires. `uri`: with
   * one of the schemes in `x-schemes`, if that is set.
   */
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
  /** Whether a single value, as a query may have it, counts as a list of one. */
  'x-single'?: boolean;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: true | JsonSchema;
  minProperties?: number;
  maxProperties?: number;
  /** Rules about keys: at least one of them must be present (`anyOf`), exactly one (`oneOf`), or not all (`not`). */
  allOf?: readonly KeyRule[];
}

export type KeyRule =
  | { readonly anyOf: readonly { readonly required: readonly [string] }[] }
  | { readonly oneOf: readonly { readonly required: readonly [string] }[] }
  | { readonly not: { readonly required: readonly string[] } };

/**
 * Returns whether other programs that read JSON Schema understand a pattern in the same way: they know no flags and compile patterns as
 * Unicode (draft 2020-12, 6.4). Otherwise they would reject valid values, or the whole schema.
 */
export function isStandardPattern({ pattern = '', 'x-flags': flags = '' }: Pick<JsonSchema, 'pattern' | 'x-flags'>): boolean {
  if (!/^[ugd]*$/.test(flags)) return false;
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}
