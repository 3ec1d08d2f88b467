import { fail } from '../contract/failure.js';
import type { OperationData } from '../contract/manifest.js';
import type { JsonSchema } from '../contract/schema.js';

/** Where the parts of an input go in an HTTP request. */
export interface Route {
  /** With the query. */
  path: string;
  /** Undefined where the method has none. */
  body: Record<string, unknown> | undefined;
  /** The key of the file of an upload. */
  file: string | undefined;
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
  return { path: search === '' ? path : `${path}?${search}`, body: hasBody ? rest : undefined, file: fileKey(operation) };
}

function segment(name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  if (text !== '') return encodeURIComponent(text);
  const message = `"${name}" is required`;
  throw fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path: name, message }] });
}

function append(query: URLSearchParams, key: string, value: unknown): void {
  if (value === undefined || value === null) return;
  for (const one of Array.isArray(value) ? value : [value]) query.append(key, typeof one === 'object' ? JSON.stringify(one) : String(one));
}

function fileKey(operation: OperationData): string | undefined {
  if (operation.kind !== 'upload') return undefined;
  const { properties = {} } = operation.input as JsonSchema;
  return Object.keys(properties).find((key) => properties[key]?.format === 'binary') ?? 'file';
}
