/** How much the benchmark of the web app measures. */
export interface WebExtent {
  /** Visits of each kind. */
  visits: number;
  /** Messages of the conversation in which somebody types. */
  messages: number;
  /** Rounds of typing, and keys of each. */
  rounds: number;
  keys: number;
  /** Conversations between which somebody switches. */
  conversations: number;
  /** How long replies stream while the memory is watched. */
  minutes: number;
  /** Starts of a server of each kind. */
  starts: number;
}

export const whole: WebExtent = {
  visits: 7,
  messages: 100_000,
  rounds: 4,
  keys: 120,
  conversations: 15,
  minutes: Number(process.env.PLATFORM_BENCH_MINUTES ?? 5),
  starts: 9,
};
