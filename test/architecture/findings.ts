/** Findings of the import check. */
export interface Findings {
  readonly read: number;
  /** How much there is to read, counted another way. */
  readonly expected: number;
  /** Each import that a rule forbids, as `rule: from → to`. */
  readonly violations: readonly string[];
}

/** Too little read is as bad as a violation: the check sees nothing and passes. A path in a string may look like an import, so not all must be. */
export const isBlind = ({ read, expected }: Findings): boolean => read === 0 || read < 0.95 * expected;
