import { randomBytes } from 'node:crypto';
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Body } from './bodies.js';

/** A request with what the front knows of it. */
export class Incoming extends IncomingMessage {
  request_id = '';
  /** In the form in which hapi routes it. */
  path = '';
  door: 'http' | 'local' = 'http';
  /** The client's address, after trusted proxies; empty on the local socket. */
  address = '';
  /** Told of what is read of its body into memory. */
  body: Body | undefined = undefined;
}

/** The answer to one; its `req` is the request. */
export type Outgoing = ServerResponse<Incoming>;

/**
 * Makes ids of requests, unique among all processes: hapi's own may repeat across cells.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-${++count}`;
}
