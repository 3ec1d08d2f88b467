import { STATUS_CODES } from 'node:http';
import { type Failure, type Fault, fail, isFailure } from '../../contract/failure.js';
import type { Protocol } from '../../contract/manifest.js';

/** Body of every error response. */
export interface ErrorBody {
  statusCode: number;
  /** The name of the status, as hapi gives it. */
  error: string;
  message: string;
  code: string;
  details?: readonly Fault[];
  request_id: string;
}

/**
 * Public messages for failures of the infrastructure. The original messages name files, addresses and errors of
 * other servers: they belong in the log, where the request id finds them, not in a response.
 */
const inner: ReadonlyMap<string, string> = new Map([
  ['database_busy', 'The database is too busy; try again in a moment'],
  ['database_unavailable', 'The database is unavailable; try again in a moment'],
  ['database_corrupt', 'The database is damaged; the server log has the cause'],
  ['blob_corrupt', 'The stored data is damaged; the server log has the cause'],
  ['bus_unavailable', 'The message bus is unavailable; try again in a moment'],
]);

/** Returns the message of a failure for network clients. */
export function sentenceOf({ code, message }: Failure): string {
  return inner.get(code) ?? message;
}

export function errorBody(failure: Failure, request_id: string): ErrorBody {
  return {
    statusCode: failure.status,
    error: STATUS_CODES[failure.status] ?? 'Unknown',
    message: sentenceOf(failure),
    code: failure.code,
    ...(failure.details ? { details: failure.details } : {}),
    request_id,
  };
}

/** Returns the headers of a failure: names and values in turn. */
export function errorHeaders(failure: Failure): readonly string[] {
  if (failure.retry_after !== undefined) return ['Retry-After', String(failure.retry_after)];
  if (failure.status === 401) return ['WWW-Authenticate', 'Bearer'];
  if (failure.status === 426) return ['Upgrade', 'websocket'];
  // Don't wait for the rest of a slow body.
  return failure.status === 408 ? ['Connection', 'close'] : [];
}

/** Converts a thrown value to a failure that may be shown; an unexpected error becomes `internal_error` without details. */
export function asFailure(thrown: unknown): Failure {
  if (isFailure(thrown)) return thrown;
  return fail('internal_error', 'Internal error; the server log has the cause under this request_id', { cause: thrown });
}

/** Codes for an invalid request and an internal error (JSON-RPC 2.0, section 5.1). */
const rpcCodes = { client: -32_600, server: -32_603 } as const;

/** Formats a failure for a protocol's clients, for requests that never reach the extension. It answers all others itself. */
export function protocolError(protocol: Protocol, failure: Failure): object {
  const { status, code } = failure;
  const message = sentenceOf(failure);
  const blames = status >= 500 ? 'server' : 'client';
  if (protocol === 'json-rpc') return { jsonrpc: '2.0', error: { code: rpcCodes[blames], message, data: { code } }, id: null };
  return { error: { message, type: blames === 'server' ? 'server_error' : 'invalid_request_error', param: null, code } };
}
