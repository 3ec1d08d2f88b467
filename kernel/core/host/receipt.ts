/** Counts of contributions released when an extension stopped. */
export interface Receipt {
  operations: number;
  actions: number;
  tools: number;
  subscriptions: number;
  /** Calls aborted because they didn't end in time. */
  abandoned: number;
  /** Faults while releasing, as sentences. */
  faults: readonly string[];
}
