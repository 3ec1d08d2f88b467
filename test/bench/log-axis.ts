/** An axis on which each power of ten takes the same room. */
export class LogAxis {
  /** Round values, from the greatest that no value lies below to the least that none lies above. */
  readonly ticks: readonly number[];
  readonly #start: number;
  readonly #length: number;

  /** For values above 0, of which there is at least one; between two places, of which the first may be the greater. */
  constructor(values: readonly number[], [start, end]: readonly [number, number]) {
    this.#start = start;
    this.#length = end - start;
    this.ticks = ticksOf(Math.min(...values), Math.max(...values));
  }

  /** The place of a value. */
  at(value: number): number {
    const [first, last] = [this.ticks[0] as number, this.ticks.at(-1) as number];
    return this.#start + (this.#length * Math.log(value / first)) / Math.log(last / first);
  }
}

/** Powers of ten; where the values lie close together, twice and five times these as well. */
function ticksOf(min: number, max: number): number[] {
  const steps = max / min > 100 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: Math.ceil(Math.log10(max)) - Math.floor(Math.log10(min)) + 2 }, (_, n) => n);
  const all = powers.flatMap((n) => steps.map((step) => Number(`${step}e${Math.floor(Math.log10(min)) + n}`)));
  const first = all.findLastIndex((tick) => tick <= min);
  const last = all.findIndex((tick) => tick >= max);
  return all.slice(first, Math.max(last, first + 1) + 1);
}
