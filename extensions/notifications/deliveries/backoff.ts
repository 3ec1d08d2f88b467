/** Attempts after the first. */
const retries = 8;
/** Doubles with each; together they take half an hour. */
const first_ms = 7_000;

/**
 * In how many ms a delivery that has failed so many times is tried again; undefined where it has been often enough. A
 * tenth more or less, so that what failed together isn't tried together. `retry_after_ms` is what the other side asks for.
 */
export function waitAfter(attempts: number, { random, retry_after_ms = 0 }: { random: number; retry_after_ms?: number | undefined }) {
  if (attempts > retries) return undefined;
  return Math.max(Math.round(first_ms * 2 ** (attempts - 1) * (0.9 + random * 0.2)), Math.min(retry_after_ms, most_ms));
}

const most_ms = 30 * 60_000;
