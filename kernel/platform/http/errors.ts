import { STATUS_CODES } from 'node:http';
import { type Failure, type Fault, fail, isFailure } from '../../contract/failure.js';
import type { Protocol } from '../../contract/manifest.js';

/** The body of every answer that is not a success. */
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
 * Failures of the parts that the platform stands on. Their sentences name files, addresses and what another
 * server said: those are for the log, where the request's id finds them, not for whoever asks.
 */
const inner: ReadonlyMap<string, string> = new Map([
  ['database_busy', 'The database is too busy just now; try again in a moment'],
  ['database_unavailable', 'The database can not be reached just now; try again in a moment'],
  ['database_corrupt', 'The database is damaged; an administrator finds the cause in the log'],
  ['blob_corrupt', 'What was stored is damaged; an administrator finds the cause in the log'],
  ['bus_unavailable', 'What connects the instances can not be reached just now; try again in a moment'],
]);

/** What a failure says to whoever asks over the network. */
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

/** The headers that belong to a failure whatever raised it: names and values in turn. */
export function errorHeaders(failure: Failure): readonly string[] {
  if (failure.retry_after !== undefined) return ['Retry-After', String(failure.retry_after)];
  if (failure.status === 401) return ['WWW-Authenticate', 'Bearer'];
  if (failure.status === 426) return ['Upgrade', 'websocket'];
  // The rest of a body that comes too slowly is not waited for.
  return failure.status === 408 ? ['Connection', 'close'] : [];
}

/** What was thrown, as a failure that may be shown: of a fault that nobody foresaw nothing gets out. */
export function asFailure(thrown: unknown): Failure {
  if (isFailure(thrown)) return thrown;
  return fail('internal_error', 'Something went wrong inside the platform; its log has the cause under this request_id', { cause: thrown });
}

/** JSON-RPC 2.0, section 5.1: an invalid request, and an internal error. */
const rpcCodes = { client: -32_600, server: -32_603 } as const;

/** Writes a failure for a protocol's clients. For requests that never reach the extension, which answers all others itself. */
export function protocolError(protocol: Protocol, failure: Failure): object {
  const { status, code } = failure;
  const message = sentenceOf(failure);
  const blames = status >= 500 ? 'server' : 'client';
  if (protocol === 'json-rpc') return { jsonrpc: '2.0', error: { code: rpcCodes[blames], message, data: { code } }, id: null };
  return { error: { message, type: blames === 'server' ? 'server_error' : 'invalid_request_error', param: null, code } };
}
