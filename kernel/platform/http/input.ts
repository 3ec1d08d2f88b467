import type { Request } from '@hapi/hapi';
import { fail } from '../../contract/failure.js';
import type { Operation, Verbatim } from '../../contract/operation.js';
import { readBody as readBytes, readJson, skipBody } from './body.js';
import type { Incoming } from './incoming.js';
import { prefersAsync } from './preference.js';

/** The flat input of an operation, from path, query and body. */
type Input = Record<string, unknown>;

export const default_max_bytes = 1024 * 1024;

export function takesBody(operation: Operation): boolean {
  return operation.method === 'POST' || operation.method === 'PUT';
}

/** The input of `POST` and `PUT`; of an upload its body has been received. */
export async function readBody(operation: Operation, request: Request, received?: Input): Promise<Input> {
  const input = received ?? (await readJson(request.raw.req as Incoming, operation.max_bytes ?? default_max_bytes));
  for (const key of operation.query ?? []) {
    delete input[key];
    if (request.query[key] !== undefined) input[key] = request.query[key];
  }
  if (operation.respond_async && prefersAsync(request.raw.req as Incoming)) input.respond_async = true;
  return withPath(input, request);
}

/** The bytes and headers of a request whose body is no input. What proves who calls is the platform's to see. */
export async function readVerbatim(operation: Operation, request: Request): Promise<Verbatim> {
  const req = request.raw.req as Incoming;
  const body = await readBytes(req, operation.max_bytes ?? default_max_bytes);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    if (!hidden.includes(name) && value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { headers, body };
}

const hidden: readonly string[] = ['authorization', 'cookie'];

/** The input of `DELETE`. */
export async function readDeletion(operation: Operation, request: Request): Promise<Input> {
  await skipBody(request.raw.req as Incoming, operation.max_bytes ?? default_max_bytes);
  return readQuery(operation, request);
}

/** The input of `GET`. */
export function readQuery(operation: Operation, request: Request): Input {
  const input: Input = {};
  for (const key of Object.keys(request.query)) if (key !== '__proto__') input[key] = request.query[key];
  return withPath(operation.kind === 'stream' ? withCursor(input, request) : input, request);
}

function withPath(input: Input, { params }: Request): Input {
  for (const name of Object.keys(params)) input[name] = params[name];
  return input;
}

/** A browser that reconnects sends the first address again, and what it has seen since in a header: the header wins. */
function withCursor(input: Input, request: Request): Input {
  delete input.ticket;
  delete input.token;
  const seen = request.headers['last-event-id'];
  if (seen !== undefined && seen !== '') input.after = seen;
  return input;
}

/** The key that makes a repeated request harmless, as its header gives it. */
export function idempotencyKey(req: Incoming): string | undefined {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw fail('malformed_request', 'The header Idempotency-Key must be 1 to 200 visible characters');
}
