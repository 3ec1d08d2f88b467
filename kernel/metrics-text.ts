import type { Metric } from './host/draft.js';
import { within } from './service/within.js';

const limit_ms = 5_000;

/** The extensions' figures in Prometheus' text format. */
export async function metricsText(metrics: readonly Metric[]): Promise<string> {
  const lines = (await readMetrics(metrics)).map(
    ({ name, help, value }) =>
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} gauge\n${name} ${value}\n`,
  );
  return lines.join('');
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
