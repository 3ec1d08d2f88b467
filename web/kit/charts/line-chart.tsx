import { useEffect, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { useWords } from '../components/words.js';
import { useFormat, usePreferences } from '../data/index.js';
import { alignSeries, type Series } from './align.js';
import { chartOptions } from './chart-options.js';

export type { Series } from './align.js';

export interface LineChartProps {
  /** Name for screen readers. */
  label: string;
  series: readonly Series[];
  /** Unit behind each value, such as `%`; or `bytes`, written with the unit that fits. */
  unit?: string | undefined;
  /** Pixels. Default 180. */
  height?: number | undefined;
  /** Highest value of the axis, such as 100 for percent. Default: what the points need. */
  max?: number | undefined;
}

/** Shows figures over time. Pointing at it shows the values of that moment; screen readers get the latest, lowest and highest. */
export function LineChart({ label, series, unit, height = 180, max }: LineChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const format = useFormat();
  const words = useWords();
  const theme = useThemeChange();
  const [{ locale }] = usePreferences();
  const write = useMemo(() => writerFor(unit, format), [unit, format]);
  const data = useMemo(() => alignSeries(series), [series]);
  const names = series.map((each) => each.label).join('\n');
  const chart = useRef<uPlot>(undefined);
  const newest = useRef(data);
  newest.current = data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart reads the theme's colours when it is made
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    let isCurrent = true;
    let stop = () => {};
    void import('uplot').then(({ default: Chart }) => {
      if (!isCurrent) return;
      const tzDate = (time: Date, zone: string) => Chart.tzDate(time, zone);
      const options = chartOptions({ element, labels: names.split('\n'), height, max, write, locale, zone: format.zone, tzDate });
      const made = new Chart(options, newest.current, element);
      chart.current = made;
      const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
      observer.observe(element);
      stop = () => {
        observer.disconnect();
        made.destroy();
        chart.current = undefined;
      };
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [names, height, max, write, theme, locale, format.zone]);
  useEffect(() => chart.current?.setData(data), [data]);
  return (
    <figure className="kit-chart">
      <div ref={host} aria-hidden="true" style={{ minHeight: height }} />
      <figcaption className="kit-hidden">
        {label}. {series.map((each) => summary(each, { words, write })).join('. ')}
      </figcaption>
    </figure>
  );
}

type Write = (value: number) => string;

function writerFor(unit: string | undefined, format: ReturnType<typeof useFormat>): Write {
  if (unit === 'bytes') return (value) => format.bytes(value);
  return (value) => `${format.number(value, { maximumFractionDigits: 2 })}${unit === undefined ? '' : unit === '%' ? '%' : ` ${unit}`}`;
}

function summary({ label, points }: Series, { words, write }: { words: ReturnType<typeof useWords>; write: Write }): string {
  const values = points.map(([, value]) => value).filter((value) => value !== null);
  if (values.length === 0) return label;
  return words.chart(label, write(values.at(-1) ?? 0), write(Math.min(...values)), write(Math.max(...values)));
}

/** Returns a value that changes with the theme or the wish for contrast. */
function useThemeChange(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((before) => before + 1);
    const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)'].map((query) => matchMedia(query));
    for (const query of queries) query.addEventListener('change', changed);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      for (const query of queries) query.removeEventListener('change', changed);
      observer.disconnect();
    };
  }, []);
  return changes;
}
