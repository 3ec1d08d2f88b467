import { type ClientRequest, type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Failure } from '../contract/failure.js';
import { failClient } from './client-failure.js';

/** Address of a server. */
export interface Target {
  /** Its base address; its path is a prefix of each operation's path. */
  url: URL;
  /** A Unix socket to use instead of the address's host. */
  socket?: string | undefined;
  /** Name of the server in errors. */
  name: string;
}

export interface Exchange {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array | string | undefined;
  /** Limit of the wait for the response headers, and between two chunks of its body. */
  timeout_ms: number;
  signal?: AbortSignal | undefined;
  agent?: HttpAgent | undefined;
  /** Called with the number of body bytes sent so far. */
  sent?: ((bytes: number, total: number) => void) | undefined;
}

/**
 * Sends a request; returns the response once its headers have arrived. Uses Node's `http` because `fetch`
 * doesn't support Unix sockets and takes three times as long to load.
 *
 * @throws `unreachable`, or the signal's reason.
 */
export async function exchange(target: Target, options: Exchange): Promise<IncomingMessage> {
  const send = target.url.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
  options.signal?.throwIfAborted();
  const request = send(target.url, {
    ...(target.socket === undefined ? {} : { socketPath: target.socket }),
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    method: options.method,
    path: target.url.pathname.replace(/\/$/, '') + options.path,
    headers: options.headers,
    timeout: options.timeout_ms,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return sendBody(request, target, options);
}

function sendBody(request: ClientRequest, target: Target, { body, timeout_ms, signal, sent }: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('timeout', () => request.destroy(new Error(`no answer within ${Math.round(timeout_ms / 1000)} s`)));
    request.on('response', resolve);
    request.on('error', (error) => reject(signal?.aborted ? signal.reason : unreachable(target, error)));
    if (sent === undefined || body === undefined) request.end(body);
    // The request itself emits any error.
    else pipeline(Readable.from(pieces(Buffer.from(body), sent), { highWaterMark: 1 }), request, () => undefined);
  });
}

const piece_bytes = 64 * 1024;

/** Yields the body in pieces, so that progress can be reported. */
function* pieces(body: Buffer, sent: NonNullable<Exchange['sent']>): Generator<Buffer> {
  for (let offset = 0; offset < body.length; offset += piece_bytes) {
    yield body.subarray(offset, offset + piece_bytes);
    sent(Math.min(body.length, offset + piece_bytes), body.length);
  }
}

export function unreachable(target: Target, cause: unknown): Failure {
  const fix = certificateFixes[(cause as NodeJS.ErrnoException).code ?? ''];
  return failClient('unreachable', `${target.name} can't be reached: ${reason(cause)}`, { cause, ...(fix === undefined ? {} : { fix }) });
}

const unknownIssuer = 'trust the issuer of its certificate with: NODE_EXTRA_CA_CERTS=<file with the certificate of the issuer>';
const wrongTime = 'renew its certificate, or correct the clock of this machine';

/** Fixes for a server that is there but whose certificate is not accepted, by Node's error code. */
const certificateFixes: Readonly<Record<string, string | undefined>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  CERT_HAS_EXPIRED: wrongTime,
  CERT_NOT_YET_VALID: wrongTime,
  ERR_TLS_CERT_ALTNAME_INVALID: 'use a host name that its certificate names',
};

function reason(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    ENOENT: 'no server is running',
    ENOTFOUND: 'unknown host',
    EAI_AGAIN: 'the host name lookup failed',
    ECONNRESET: 'the connection was closed',
    EACCES: 'permission denied',
    ETIMEDOUT: 'it did not answer',
  };
  return known[code ?? ''] ?? (message || code || 'unknown error');
}
