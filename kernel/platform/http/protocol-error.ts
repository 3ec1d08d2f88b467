import type { Failure } from '../../contract/failure.js';
import type { Protocol } from '../../contract/manifest.js';
import { sentenceOf } from './errors.js';

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
