/** A line of a chart. */
export interface Series {
  label: string;
  /** Moment (milliseconds since 1970) and value, in order of time; null where nothing was measured: the line has a gap. */
  points: readonly (readonly [time: number, value: number | null])[];
}

/** Times in seconds, then the values of each series at those times; undefined where a series has no point. */
export type AlignedData = [number[], ...(number | null | undefined)[][]];

/** Brings series with times of their own onto one axis. */
export function alignSeries(series: readonly Series[]): AlignedData {
  const times = [...new Set(series.flatMap(({ points }) => points.map(([time]) => time)))].sort((one, other) => one - other);
  const rows = series.map(({ points }) => {
    const values = new Map(points);
    return times.map((time) => values.get(time));
  });
  return [times.map((time) => time / 1_000), ...rows];
}
