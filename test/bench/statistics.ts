/** The middle value; of an even number the upper one. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that the given part of all values doesn't exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
