export interface BackOff {
  /** First wait, doubled for each further one. */
  wait_ms: number;
  max_wait_ms: number;
}

/** Returns the wait before a retry. Jitter spreads the clients of a restarted server. */
export function backOff({ wait_ms, max_wait_ms }: BackOff, failed: number): number {
  return Math.min(wait_ms * 2 ** failed, max_wait_ms) * (0.5 + Math.random() / 2);
}
