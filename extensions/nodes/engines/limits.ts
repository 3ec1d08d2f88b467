/** How long an engine is waited for, in ms, and how much it may say. */
export interface Limits {
  /** Until a connection stands; with TLS, its handshake included. */
  connect_ms: number;
  /** Until a host that is reached by ssh has let us in. */
  login_ms: number;
  /** Until a question is answered; of a stream, until it begins. */
  ask_ms: number;
  /** Until a change is done. */
  change_ms: number;
  /** The same for what may rightly take long: pulls, archives, waiting for an end. */
  long_ms: number;
  /** Of an answer that is no stream. */
  answer_bytes: number;
  /** Connections to one engine at the same time. */
  connections: number;
  /** Engines that are connected at the same time. */
  engines: number;
  /** After which a client that nobody used is closed. */
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

/** How long the answer to one request is waited for. */
export function answerLimit({ ask_ms, change_ms, long_ms }: Limits, method: string, path: string): number {
  if (long.test(path)) return long_ms;
  return method === 'GET' || method === 'HEAD' ? ask_ms : change_ms;
}
