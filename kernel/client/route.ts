import { fail } from '../contract/failure.js';
import type { OperationData } from '../contract/manifest.js';

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
  const inQuery = hasBody ? (operation.query ?? []) : Object.keys(rest);
  const query = new URLSearchParams();
  for (const key of inQuery) {
    append(query, key, rest[key]);
    delete rest[key];
  }
  const search = query.toString();
  return { path: search === '' ? path : `${path}?${search}`, body: hasBody ? rest : undefined };
}

function segment(name: string, value: unknown): string {
  if (value !== undefined && value !== null && value !== '') return encodeURIComponent(text(value));
  const message = `"${name}" is required`;
  throw fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path: name, message }] });
}

function append(query: URLSearchParams, key: string, value: unknown): void {
  if (value === undefined || value === null) return;
  for (const one of Array.isArray(value) ? value : [value]) query.append(key, text(one));
}

/** A value as text, for where HTTP has nothing else. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
