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
  /** The path of the operation that serves it, with its parameters in braces; empty until that is known. */
  route = '';
  /** The member who asks; 0 until that is known, and for nobody. */
  member_id = 0;
  /** The code of the failure that it is answered with; empty if it isn't, or not in the platform's form. */
  code = '';
  /** When it came, in ms of any clock; 0 if nobody measures. */
  started = 0;
  /** Told of what is read of its body into memory. */
  body: Body | undefined = undefined;
  #asks = false;

  /**
   * Whether the request leaves HTTP/1.1, as Node reads it to decide: for a WebSocket or by CONNECT. The wish for any other protocol is
   * passed over, which RFC 9110 (7.8) allows: Java's client asks for h2c unless it is told otherwise, curl with `--http2`.
   */
  get upgrade(): boolean {
    return this.#asks && (this.method === 'CONNECT' || this.headers.upgrade?.toLowerCase() === 'websocket');
  }

  /** By Node, from the head; and by the constructor that this class extends, when there is nothing to keep it in. */
  set upgrade(asks: boolean | null) {
    if (#asks in this) this.#asks = asks === true;
  }

  /**
   * Whether a wish for another protocol was passed over. Node's parser forgets what came behind such a request in the same packet, so that
   * nobody knows where the next begins: the connection has to end with the answer.
   */
  get isPassedOver(): boolean {
    return this.#asks && !this.upgrade;
  }
}

/** The answer to one; its `req` is the request. */
export type Outgoing = ServerResponse<Incoming>;

/** Told of each request, inside of it, which route takes it: its method, and its path with the parameters in braces. */
export type Routed = (method: string, path: string) => void;

/**
 * Makes ids of requests, unique among all processes: hapi's own may repeat across cells.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-${++count}`;
}
