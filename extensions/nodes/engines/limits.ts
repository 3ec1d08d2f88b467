/** Limits of waiting for an engine, in ms, and of its responses. */
export interface Limits {
  /** Until a connection is established, including the TLS handshake. */
  connect_ms: number;
  /** Until an SSH login succeeds. */
  login_ms: number;
  /** Until a query is answered; for a stream, until it begins. */
  ask_ms: number;
  /** Until a change is done. */
  change_ms: number;
  /** Until a long operation is done: pulls, archives, waiting for an end. */
  long_ms: number;
  /** Size of a response that isn't a stream, in bytes. */
  answer_bytes: number;
  /** Concurrent connections to one engine. */
  connections: number;
  /** Engines connected at once. */
  engines: number;
  /** Idle time after which a client is closed. */
  idle_ms: number;
}

export const limits: Limits = {
  connect_ms: 5_000,
  login_ms: 10_000,
  ask_ms: 15_000,
  change_ms: 60_000,
  long_ms: 600_000,
  answer_bytes: 16 * 1024 * 1024,
  connections: 256,
  engines: 128,
  idle_ms: 300_000,
};

const long = /^\/(?:images\/create|images\/load|build|containers\/[^/]+\/(?:archive|wait))\b/;

/** Returns the time limit for the response to a request. */
export function answerLimit({ ask_ms, change_ms, long_ms }: Limits, method: string, path: string): number {
  if (long.test(path)) return long_ms;
  return method === 'GET' || method === 'HEAD' ? ask_ms : change_ms;
}
