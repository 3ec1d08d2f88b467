import { fail } from '../contract/failure.js';
import type { OperationData } from '../contract/manifest.js';
import type { JsonSchema } from '../contract/schema.js';
import { unknownField } from '../core/invoke/unknown-fields.js';

/** Where the parts of an input go in an HTTP request. */
export interface Route {
  /** With the query. */
  path: string;
  /** Undefined where the method has none. */
  body: Record<string, unknown> | undefined;
}

/** The keys in the path, those in the query, and the rest in the body. */
export function route(operation: OperationData, input: object): Route {
  const rest: Record<string, unknown> = { ...input };
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = rest[name];
    delete rest[name];
    return segment(name, value);
  });
  const hasBody = operation.method === 'POST' || operation.method === 'PUT';
  if (!hasBody) assertKnown(operation, rest);
  const inQuery = hasBody ? (operation.query ?? []) : Object.keys(rest);
  const query = new URLSearchParams();
  for (const key of inQuery) {
    append(query, key, rest[key]);
    delete rest[key];
  }
  const search = query.toString();
  return { path: search === '' ? path : `${path}?${search}`, body: hasBody ? rest : undefined };
}

/** A server ignores unknown parameters of a query, so that a misspelt one would go unnoticed. */
function assertKnown({ input, kind }: OperationData, given: Readonly<Record<string, unknown>>): void {
  const { properties, additionalProperties }: JsonSchema = input;
  if (properties === undefined || additionalProperties !== undefined) return;
  const isKnown = (key: string) => Object.hasOwn(properties, key) || (kind === 'stream' && key === 'after');
  const unknown = Object.keys(given).filter((key) => given[key] !== undefined && !isKnown(key));
  if (unknown.length === 0) return;
  const details = unknown.map((key) => unknownField([key], input));
  throw fail('unknown_field', `The input is not valid: ${details.map(({ message }) => message).join('; ')}`, { details });
}

function segment(name: string, value: unknown): string {
  if (value === undefined || value === null || value === '') throw invalid(name, `"${name}" is required`);
  const shown = text(value);
  // However they are encoded, these two are no segment but a way to another address (WHATWG URL, 4.1).
  if (shown === '.' || shown === '..') throw invalid(name, `"${name}" must not be "${shown}", which no address can carry`);
  return encodeURIComponent(wellFormed(shown));
}

function append(query: URLSearchParams, key: string, value: unknown): void {
  if (value === undefined || value === null) return;
  for (const one of Array.isArray(value) ? value : [value]) query.append(key, wellFormed(text(one)));
}

function invalid(path: string, message: string): Error {
  return fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path, message }] });
}

/** Addresses are UTF-8, which has no halves of pairs: what the platform refuses elsewhere can't even be sent to it here. */
function wellFormed(value: string): string {
  if (value.isWellFormed()) return value;
  throw fail('malformed_request', 'The input contains half of a surrogate pair, which is no character');
}

/** A value as text, for where HTTP has nothing else. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
