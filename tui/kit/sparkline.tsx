import { type Kind, Text } from './text.js';

const bars = '▁▂▃▄▅▆▇█';

export interface SparklineProps {
  /** The newest last; of more than fit the oldest are left out. */
  values: readonly number[];
  /** In columns. */
  width: number;
  /** What a full bar stands for. Default: the largest value. */
  max?: number | undefined;
  kind?: Kind | undefined;
}

/** Values over time, a character each. */
export function Sparkline({ values, width, max, kind }: SparklineProps) {
  return <Text kind={kind}>{sparkline(values, width, max)}</Text>;
}

/** The same as text, in exactly `width` columns. */
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
