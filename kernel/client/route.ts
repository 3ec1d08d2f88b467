import { fail } from '../contract/failure.js';
import type { OperationData } from '../contract/manifest.js';
import type { JsonSchema } from '../contract/schema.js';
import { unknownField } from '../core/invoke/unknown-fields.js';

/** The parts of an HTTP request that carry an operation's input. */
export interface Route {
  /** Path with the query, starting with a slash. */
  path: string;
  /** Undefined if the method has no body. */
  body: Record<string, unknown> | undefined;
}

/**
 * Distributes an input over path, query and body, as the server reads it: fields named in the path go there; of the rest, `POST` and
 * `PUT` send those in the operation's `query` as the query and all others as the body, and `GET` and `DELETE` send all as the query.
 *
 * @throws `invalid_input`, `unknown_field`, `malformed_request`
 */
export function route(operation: OperationData, input: object): Route {
  const rest: Record<string, unknown> = { ...input };
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = rest[name];
    delete rest[name];
    return pathSegment(name, value);
  });
  const hasBody = operation.method === 'POST' || operation.method === 'PUT';
  if (!hasBody) assertKnown(operation, rest);
  const inQuery = hasBody ? (operation.query ?? []) : Object.keys(rest);
  const query = new URLSearchParams();
  for (const key of inQuery) {
    appendQuery(query, key, rest[key]);
    delete rest[key];
  }
  const search = query.toString();
  return { path: search === '' ? path : `${path}?${search}`, body: hasBody ? rest : undefined };
}

/** Adds a ticket to the query of a path. */
export function withTicket(path: string, ticket: string | undefined): string {
  return ticket === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}ticket=${encodeURIComponent(ticket)}`;
}

/** Fails on unknown query parameters, because a server ignores them and a misspelt one would go unnoticed. A schema may admit any name. */
function assertKnown({ input, kind }: OperationData, params: Readonly<Record<string, unknown>>): void {
  const { properties, additionalProperties }: JsonSchema = input;
  if (properties === undefined || additionalProperties !== undefined) return;
  // Each stream accepts a cursor as `after`, also if its schema doesn't list it.
  const isKnown = (key: string) => Object.hasOwn(properties, key) || (kind === 'stream' && key === 'after');
  const unknown = Object.keys(params).filter((key) => params[key] !== undefined && !isKnown(key));
  if (unknown.length === 0) return;
  const details = unknown.map((key) => unknownField([key], input));
  throw fail('unknown_field', `The input is not valid: ${details.map(({ message }) => message).join('; ')}`, { details });
}

function pathSegment(name: string, value: unknown): string {
  if (value === undefined || value === null || value === '') throw invalid(name, `"${name}" is required`);
  const segmentText = text(value);
  // URL parsers treat these two as steps in the path even if they are percent-encoded (WHATWG URL, 4.1).
  if (segmentText === '.' || segmentText === '..') throw invalid(name, `"${name}" must not be "${segmentText}", which a URL can't contain`);
  return encodeURIComponent(wellFormed(segmentText));
}

function appendQuery(query: URLSearchParams, key: string, value: unknown): void {
  if (value === undefined || value === null) return;
  for (const item of Array.isArray(value) ? value : [value]) query.append(key, wellFormed(text(item)));
}

function invalid(field: string, message: string): Error {
  return fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path: field, message }] });
}

/** Returns the text. Fails on a lone surrogate, which UTF-8 can't encode: a query would silently replace it before the server could refuse it. */
function wellFormed(value: string): string {
  if (value.isWellFormed()) return value;
  throw fail('malformed_request', 'The input contains half of a surrogate pair, which is not a character');
}

/** Converts a value to text for paths, queries and forms: a string as it is, anything else as JSON. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
