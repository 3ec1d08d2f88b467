import type { Request } from '@hapi/hapi';
import joi, { type ObjectSchema, type Schema } from 'joi';
import { fail } from '../../contract/failure.js';
import type { Operation } from '../../contract/operation.js';
import type { ActiveOperation } from '../../core/catalog/catalog.js';
import { readBody, readJson, skipBody } from './body.js';
import type { Incoming } from './incoming.js';
import { prefersAsync } from './preference.js';

/** The flat input of an operation, from path, query and body. */
type Input = Record<string, unknown>;

export const default_max_bytes = 1024 * 1024;

export function takesBody(operation: Pick<Operation, 'method'>): boolean {
  return operation.method === 'POST' || operation.method === 'PUT';
}

/** Returns whether the operation receives the raw bytes of its body; its input then comes from path and query. */
export function isVerbatim(operation: Operation): boolean {
  return operation.verbatim === true && takesBody(operation) && operation.kind !== 'upload';
}

type Places<Value> = { params?: Value; query?: Value; payload?: Value };

/** Returns the schemas of an operation's input by its places in a request. */
export function placesOf({ operation, input }: Pick<ActiveOperation, 'operation' | 'input'>): Places<ObjectSchema> {
  const fromBody = takesBody(operation) && !isVerbatim(operation);
  if (!isSplit(operation)) return fromBody ? { payload: input } : { query: input };
  const found: Required<Places<Record<string, Schema>>> = { params: {}, query: {}, payload: {} };
  for (const key of Object.keys(input.describe().keys ?? {})) {
    const schema = input.extract(key);
    if (isInPath(operation.path, key)) found.params[key] = schema;
    else if (!fromBody || operation.query?.includes(key)) found.query[key] = schema;
    else found.payload[key] = schema;
  }
  const { params, query, payload } = found;
  return {
    ...(operation.path.includes('{') ? { params: joi.object(params) } : {}),
    query: joi.object(query),
    ...(fromBody ? { payload: joi.object(payload) } : {}),
  };
}

/** Returns whether rules of an input span several places of a request: a rule of the whole object, or a reference between keys. */
export function isTied({ operation, input }: Pick<ActiveOperation, 'operation' | 'input'>): boolean {
  if (!isSplit(operation)) return false;
  const described = input.describe();
  const rules = ['dependencies', 'rules', 'patterns', 'renames', 'externals', 'whens'];
  return rules.some((name) => name in described) || 'unknown' in (described.flags ?? {}) || JSON.stringify(described).includes('"ref":');
}

function isSplit({ path, query }: Operation): boolean {
  return path.includes('{') || query !== undefined;
}

export function isInPath(path: string, key: string): boolean {
  return path.includes(`{${key}}`);
}

/** Reads a body and sets it as the payload that hapi validates. An upload's handler reads its own. */
export async function receive(operation: Operation, request: Request): Promise<void> {
  const req = request.raw.req as Incoming;
  const max_bytes = operation.max_bytes ?? default_max_bytes;
  if (operation.kind === 'upload') return;
  // Node leaves "100 Continue" to hapi, which sends it only if it reads the body itself.
  if (req.headers.expect !== undefined && req.httpVersion !== '1.0') request.raw.res.writeContinue();
  if (isVerbatim(operation)) return put(request, await readBody(req, max_bytes));
  if (operation.method === 'DELETE') return put(request, await skipBody(req, max_bytes));
  const payload = await readJson(req, max_bytes);
  if (operation.respond_async && prefersAsync(req)) payload.respond_async = true;
  put(request, payload);
}

/** Sets the payload: hapi reads no body if there is one already. */
function put(request: Request, payload: object | null): void {
  Object.assign(request, { payload });
}

/** Sets the cursor of a stream. A reconnecting browser repeats the first address and sends its last cursor in a header, so the header wins. */
export function readCursor({ query, headers }: Request): void {
  delete query.ticket;
  delete query.token;
  const seen = headers['last-event-id'];
  if (seen !== undefined && seen !== '') query.after = seen;
}

/** Returns the flat input from its places: path before query before body, each key from its own place. */
export function inputOf(operation: Operation, { params, query = {}, payload }: Places<unknown>): Input {
  const values = query as Input;
  const fromBody = takesBody(operation) && !isVerbatim(operation);
  const input: Input = fromBody ? { ...(payload as Input) } : {};
  for (const key of fromBody ? (operation.query ?? []) : Object.keys(values)) {
    delete input[key];
    if (values[key] !== undefined && key !== '__proto__') input[key] = values[key];
  }
  return Object.assign(input, params);
}

/** Returns the idempotency key of a request. Fails with `malformed_request` if it is malformed. */
export function idempotencyKey(req: Incoming): string | undefined {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw fail('malformed_request', 'The header Idempotency-Key must be 1 to 200 visible characters');
}
