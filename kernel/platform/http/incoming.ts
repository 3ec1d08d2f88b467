import { randomBytes } from 'node:crypto';
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Body } from './bodies.js';

/** A request with the front's data about it. */
export class Incoming extends IncomingMessage {
  request_id = '';
  /** Path in the normal form that hapi routes by. */
  path = '';
  door: 'http' | 'local' = 'http';
  /** Scheme that the client used. This server speaks http; a trusted proxy may report https. */
  scheme: 'http' | 'https' = 'http';
  /** The client's address, after trusted proxies; empty on the local socket. */
  address = '';
  /** Path of the operation that serves it, with parameters in braces; empty until it is routed. */
  route = '';
  /** The calling member; 0 until identified, and for anonymous callers. */
  member_id = 0;
  /** Code of the failure in its response; empty if there is none, or if it is in a protocol's format. */
  code = '';
  /** Time of arrival in ms of a monotonic clock; 0 if not measured. */
  started = 0;
  /** Counts the bytes of its body in memory. */
  body: Body | undefined = undefined;
  #requestsUpgrade = false;

  /**
   * Whether the request leaves HTTP/1.1, as a WebSocket or by CONNECT; Node reads this property. Requests to upgrade to any other
   * protocol are ignored, as RFC 9110 (7.8) allows: Java's client asks for h2c by default, curl with `--http2`.
   */
  get upgrade(): boolean {
    return this.#requestsUpgrade && (this.method === 'CONNECT' || this.headers.upgrade?.toLowerCase() === 'websocket');
  }

  /** Set by Node from the head, and by the base constructor before the private field exists. */
  set upgrade(asks: boolean | null) {
    if (#requestsUpgrade in this) this.#requestsUpgrade = asks === true;
  }

  /**
   * Whether an upgrade request was ignored. Node's parser drops the bytes after such a request in the same packet, so the start of the
   * next request is unknown: the connection must close after the response.
   */
  get isUpgradeIgnored(): boolean {
    return this.#requestsUpgrade && !this.upgrade;
  }
}

/** A response; its `req` is the request. */
export type Outgoing = ServerResponse<Incoming>;

/** Called within each request with its route: the method, and the path with parameters in braces. */
export type Routed = (method: string, path: string) => void;

/**
 * Creates request ids that are unique across processes: hapi's own may repeat across cells.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-${++count}`;
}
