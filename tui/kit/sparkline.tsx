import { type Kind, Text } from './text.js';

const bars = '▁▂▃▄▅▆▇█';

export interface SparklineProps {
  /** Values, newest last; the oldest are dropped if they don't fit. */
  values: readonly number[];
  /** Width in columns. */
  width: number;
  /** Value of a full bar. Default: the largest value. */
  max?: number | undefined;
  kind?: Kind | undefined;
}

/** Draws values over time, a character each. */
export function Sparkline({ values, width, max, kind }: SparklineProps) {
  return <Text kind={kind}>{sparkline(values, width, max)}</Text>;
}

/** Returns the sparkline as text in exactly `width` columns. */
export function sparkline(values: readonly number[], width: number, max?: number): string {
  const shown = width > 0 ? values.slice(-width) : [];
  const top = max ?? Math.max(0, ...shown);
  const line = shown.map((value) => bars[level(value, top)]).join('');
  return line.padStart(Math.max(0, width));
}

function level(value: number, top: number): number {
  if (!(top > 0) || !(value > 0)) return 0;
  return Math.min(bars.length - 1, Math.floor((value / top) * bars.length));
}
