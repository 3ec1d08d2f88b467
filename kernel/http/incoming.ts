import { randomBytes } from 'node:crypto';
import { IncomingMessage } from 'node:http';

/** A request with what the front knows of it. */
export class Incoming extends IncomingMessage {
  request_id = '';
  door: 'http' | 'local' = 'http';
  /** The client's address, after trusted proxies; empty on the local socket. */
  address = '';
}

/**
 * Makes ids of requests, unique among all processes: hapi's own may repeat across cells.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-${++count}`;
}
