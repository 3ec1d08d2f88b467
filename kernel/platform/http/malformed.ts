import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Failure, fail } from '../../contract/failure.js';
import { errorBody } from './errors.js';
import type { HeaderList } from './responder.js';

/** Headers of every response: the request id, and the common ones. */
export interface Marks {
  request_id: string;
  common: HeaderList;
}

/**
 * Answers input that Node's parser rejected, for which hapi has no request. Closes the connection: the start of the
 * next request is unknown.
 */
export function refuseMalformed(fault: NodeJS.ErrnoException, socket: Duplex, marks: Marks): void {
  const response = responseOn(socket);
  if (response?.writableEnded) {
    // The response is already written and only needs to be sent.
    socket.end(() => socket.destroy());
    return;
  }
  if (fault.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
    socket.destroy(fault);
    return;
  }
  if (response?.req.complete) {
    // The malformed input followed a complete request. That one is answered, and then the connection closes.
    response.shouldKeepAlive = false;
    return;
  }
  refuseSocket(socket, failureOf(fault), marks);
}

/** Writes a failure to a bare socket and closes it. */
export function refuseSocket(socket: Duplex, failure: Failure, { request_id, common }: Marks): void {
  const body = JSON.stringify(errorBody(failure, request_id));
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${request_id}`,
    ...headerLines(common),
  ];
  // Ignore a connection that the client has reset in the meantime.
  socket.once('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Formats names and values in turn as header lines. */
export function headerLines(headers: HeaderList): string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
}

/** Returns the pending response of a socket. Node has no public name for it. */
export function responseOn(socket: Duplex): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

function failureOf(fault: NodeJS.ErrnoException): Failure {
  switch (fault.code) {
    case 'HPE_HEADER_OVERFLOW':
      return fail('header_too_large', 'The address and headers of the request are larger than 16 KiB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail('request_timeout', 'The request did not arrive in time');
    default:
      return fail('malformed_request', 'The request is not valid HTTP');
  }
}
