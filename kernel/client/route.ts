import { fail } from '../contract/failure.js';
import type { OperationData } from '../contract/manifest.js';
import type { JsonSchema } from '../contract/schema.js';
import { unknownField } from '../core/invoke/unknown-fields.js';

/** The parts of an HTTP request for an input. */
export interface Route {
  /** Path with query. */
  path: string;
  /** Undefined if the method has no body. */
  body: Record<string, unknown> | undefined;
}

/** Distributes an input over path, query and body. */
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

/** Fails on unknown query parameters: a server ignores them, so a misspelt one would go unnoticed. */
function assertKnown({ input, kind }: OperationData, params: Readonly<Record<string, unknown>>): void {
  const { properties, additionalProperties }: JsonSchema = input;
  if (properties === undefined || additionalProperties !== undefined) return;
  const isKnown = (key: string) => Object.hasOwn(properties, key) || (kind === 'stream' && key === 'after');
  const unknown = Object.keys(params).filter((key) => params[key] !== undefined && !isKnown(key));
  if (unknown.length === 0) return;
  const details = unknown.map((key) => unknownField([key], input));
  throw fail('unknown_field', `The input is not valid: ${details.map(({ message }) => message).join('; ')}`, { details });
}

function segment(name: string, value: unknown): string {
  if (value === undefined || value === null || value === '') throw invalid(name, `"${name}" is required`);
  const segmentText = text(value);
  // These two change the path even if they are encoded (WHATWG URL, 4.1).
  if (segmentText === '.' || segmentText === '..') throw invalid(name, `"${name}" must not be "${segmentText}", which a URL can't contain`);
  return encodeURIComponent(wellFormed(segmentText));
}

function append(query: URLSearchParams, key: string, value: unknown): void {
  if (value === undefined || value === null) return;
  for (const one of Array.isArray(value) ? value : [value]) query.append(key, wellFormed(text(one)));
}

function invalid(path: string, message: string): Error {
  return fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path, message }] });
}

/** Fails on lone surrogates: URLs are UTF-8, which can't encode them, so the request could not reach the server's own check. */
function wellFormed(value: string): string {
  if (value.isWellFormed()) return value;
  throw fail('malformed_request', 'The input contains half of a surrogate pair, which is not a character');
}

/** Converts a value to text for paths, queries and forms. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
