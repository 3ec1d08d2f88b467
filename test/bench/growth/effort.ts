/** How much is asked for one figure. */
export interface Effort {
  /** Before it counts, so that code is compiled and pages are read: at most so many, or for so long. */
  warm: { requests: number; ms: number };
  counted: { requests: number; ms: number };
}

/** For figures that are to be believed. */
export const thorough: Effort = { warm: { requests: 1_500, ms: 1_500 }, counted: { requests: 1_500, ms: 2_000 } };

/** For a look at whether it works. */
export const slight: Effort = { warm: { requests: 4, ms: 50 }, counted: { requests: 8, ms: 100 } };

/** The same with fewer requests. */
export function atMost(requests: number, { warm, counted }: Effort): Effort {
  return {
    warm: { ...warm, requests: Math.min(requests, warm.requests) },
    counted: { ...counted, requests: Math.min(requests, counted.requests) },
  };
}
