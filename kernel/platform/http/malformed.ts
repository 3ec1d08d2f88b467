import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Failure, fail } from '../../contract/failure.js';
import { errorBody } from './errors.js';
import type { HeaderList } from './responder.js';

/** What every answer carries: its id, as `X-Request-Id`, and the headers that all have. */
export interface Marks {
  request_id: string;
  common: HeaderList;
}

/**
 * Answers what Node's parser refused, for which there is no request that hapi could answer. The connection ends: nobody
 * knows where the next request would begin.
 */
export function refuseMalformed(fault: NodeJS.ErrnoException, socket: Duplex, marks: Marks): void {
  const response = responseOn(socket);
  if (response?.writableEnded) {
    // It has its answer already, which still has to go out.
    socket.end(() => socket.destroy());
    return;
  }
  if (fault.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
    socket.destroy(fault);
    return;
  }
  if (response?.req.complete) {
    // What is malformed came behind a whole request, which gets its answer, and ends the connection with it.
    response.shouldKeepAlive = false;
    return;
  }
  refuseSocket(socket, failureOf(fault), marks);
}

/** Writes a failure on a bare socket and ends it. */
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
  // A client that reset the connection meanwhile is no fault of ours.
  socket.once('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Names and values in turn, as they stand in a head. */
export function headerLines(headers: HeaderList): string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
}

/** The response that is under way on a socket. Node keeps it there and offers no public name for it. */
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
