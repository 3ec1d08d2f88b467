import { within } from '../contract/within.js';
import type { LabelledCounter } from '../core/catalog/counter.js';
import type { Draft, Metric } from '../core/catalog/draft.js';

const limit_ms = 5_000;

/**
 * Returns the extensions' figures in Prometheus' text format. It is our own because figures come and go with the extensions' versions,
 * which registries of prom-client don't follow, and because loading that would make the start 45 ms longer.
 */
export async function metricsText(drafts: readonly Pick<Draft, 'metrics' | 'counters'>[]): Promise<string> {
  const figures = (await readMetrics(drafts.flatMap(({ metrics }) => metrics))).map(
    (figure) => `${head(figure, figure.name.endsWith('_total') ? 'counter' : 'gauge')}${figure.name} ${figure.value}\n`,
  );
  return [...figures, ...drafts.flatMap(({ counters }) => counters.map(series))].join('');
}

function series(counter: LabelledCounter): string {
  const { name, label, counts } = counter;
  return (
    head(counter, 'counter') +
    [...counts].map(([value, count]) => `${name}{${label}="${escaped(value).replaceAll('"', '\\"')}"} ${count}\n`).join('')
  );
}

function head({ name, help }: { name: string; help: string }, type: string): string {
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** Reads figures side by side. One that can't be read, or not within 5 s, is left out. */
export async function readMetrics<T extends Metric>(metrics: readonly T[]): Promise<(T & { value: number })[]> {
  const found = await Promise.all(
    metrics.map(async (metric) => {
      const reading = Promise.resolve()
        .then(metric.read)
        .catch(() => Number.NaN);
      return { ...metric, value: await within(limit_ms, reading, () => Number.NaN) };
    }),
  );
  return found.filter(({ value }) => Number.isFinite(value));
}
