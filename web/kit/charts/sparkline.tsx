import { useWords } from '../components/words.js';
import { useFormat } from '../data/index.js';

export interface SparklineProps {
  /** In order of time; at least two make a line. */
  values: readonly number[];
  /** Name for screen readers. */
  label: string;
  /** How a value is written. Default: as a number. */
  write?: ((value: number) => string) | undefined;
  /** Value at the lower and the upper edge. Default: 0 and the highest. */
  range?: readonly [number, number] | undefined;
}

const width = 96;
const height = 24;

/** Shows the course of a figure in a line of text. */
export function Sparkline({ values, label, write, range }: SparklineProps) {
  const words = useWords();
  const format = useFormat();
  const written = write ?? ((value: number) => format.number(value));
  const high = Math.max(...values, 0);
  const [bottom, top] = range ?? [0, high || 1];
  const x = (place: number) => 1 + (place * (width - 2)) / Math.max(values.length - 1, 1);
  const y = (value: number) => height - 1.5 - ((value - bottom) / (top - bottom || 1)) * (height - 3);
  const points = values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const summary =
    values.length === 0 ? label : words.chart(label, written(values.at(-1) ?? 0), written(Math.min(...values)), written(high));
  return (
    <svg className="kit-sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary} preserveAspectRatio="none">
      <polyline points={points} />
    </svg>
  );
}
