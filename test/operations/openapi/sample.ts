import fc, { type Arbitrary } from 'fast-check';
import type { SchemaObject } from '../../../kernel/platform/http/docs/openapi.js';

interface Described {
  type?: string;
  nullable?: boolean;
  enum?: readonly unknown[];
  anyOf?: readonly SchemaObject[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: SchemaObject;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, SchemaObject>>;
  required?: readonly string[];
}

/** Made once: making some takes longer than many requests. */
const formats: Readonly<Record<string, Arbitrary<unknown>>> = {
  uuid: fc.uuid({ version: 7 }),
  'date-time': fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
  uri: fc.constantFrom('https://example.com/', 'http://127.0.0.1:1/x?y=z', 'https://[::1]/', 'ftp://example.com'),
  email: fc.constantFrom('ada@example.com', 'a+b@sub.example.org'),
  hostname: fc.constantFrom('example.com', 'localhost', 'xn--bcher-kva.example'),
  binary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
};

const character = fc.constantFrom(...'abcXYZ019 _-.,:\'"<&é你😀'.match(/./gu)!);

/** Values that a schema of the document admits, as far as it says; small ones. */
export function good(schema: SchemaObject): Arbitrary<unknown> {
  const { nullable, enum: listed, anyOf, type } = schema as Described;
  if (nullable) return fc.oneof({ weight: 4, arbitrary: good({ ...schema, nullable: false }) }, fc.constant(null));
  if (listed) return fc.constantFrom(...listed);
  if (anyOf) return fc.oneof(...anyOf.map(good));
  return typed(type, schema as Described);
}

function typed(type: string | undefined, schema: Described): Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? -1_000, -1e9), max: Math.min(schema.maximum ?? 1_000, 1e9) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(good(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: Math.max(schema.minItems ?? 0, 3) });
    case 'object':
      return object(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function text({ format, pattern, minLength = 0, maxLength = 200 }: Described): Arbitrary<unknown> {
  const known = format === undefined ? undefined : formats[format];
  if (known) return known;
  const plain = fc.string({ unit: character, minLength, maxLength: Math.min(maxLength, Math.max(minLength, 60)) });
  return pattern === undefined ? plain : (matching(pattern)?.map((found) => found.slice(0, maxLength)) ?? plain);
}

/** Nothing where fast-check can't make texts of a pattern, or takes seconds for it, as for all characters but some. */
function matching(pattern: string): Arbitrary<string> | undefined {
  if (/\[\^|\\p/i.test(pattern)) return undefined;
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    return undefined;
  }
}

function object({ properties = {}, required = [] }: Described): Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, good(schema)]));
  return fc.record(fields, { requiredKeys: required.filter((key) => key in fields) });
}
