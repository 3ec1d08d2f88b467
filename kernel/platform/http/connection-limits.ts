/** How long a client may take over its connection, in ms. */
export interface ConnectionLimits {
  /** Until the head of a request is there, from the first moment of the connection or from the request's first byte. */
  head_ms: number;
  /** Until a request is there with its body. A body that is read into memory has a shorter limit of its own, by its size. */
  request_ms: number;
  /** How often these two are looked at. */
  check_ms: number;
  /** Between two requests. Longer than what load balancers keep idle connections for, so that it is they who close them. */
  idle_ms: number;
  /** How long an answer may be left unread, or a body unsent behind its answer. */
  stalled_ms: number;
}

export const connectionLimits: ConnectionLimits = {
  head_ms: 15_000,
  request_ms: 300_000,
  check_ms: 5_000,
  idle_ms: 65_000,
  stalled_ms: 60_000,
};
