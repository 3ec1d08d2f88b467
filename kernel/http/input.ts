import type { Request } from '@hapi/hapi';
import { fail } from '../contract/failure.js';
import type { Operation } from '../contract/operation.js';
import { readJson } from './body.js';
import type { Incoming } from './incoming.js';
import { readUpload } from './upload.js';

type Values = Record<string, unknown>;

const default_max_bytes = 1024 * 1024;

/** The flat input of an operation from path, query and body. */
export async function readInput(operation: Operation, request: Request): Promise<Values> {
  const input = takesBody(operation) ? await readBody(operation, request) : readQuery(operation, request);
  for (const name of Object.keys(request.params)) input[name] = request.params[name];
  return input;
}

export function takesBody(operation: Operation): boolean {
  return operation.method === 'POST' || operation.method === 'PUT';
}

async function readBody(operation: Operation, request: Request): Promise<Values> {
  const upload = operation.kind === 'upload';
  const body = upload ? readUpload(request.payload) : await readJson(request.raw.req, operation.max_bytes ?? default_max_bytes);
  const query = request.query as Values;
  for (const key of operation.query ?? []) {
    delete body[key];
    if (query[key] !== undefined) body[key] = query[key];
  }
  return body;
}

function readQuery(operation: Operation, request: Request): Values {
  const input: Values = {};
  for (const [key, value] of Object.entries(request.query as Values)) {
    if (key !== '__proto__') input[key] = value;
  }
  return operation.kind === 'stream' ? readStreamQuery(input, request) : input;
}

/** A browser that reconnects sends the first address again, and what it has seen since in a header: the header wins. */
function readStreamQuery(input: Values, request: Request): Values {
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
