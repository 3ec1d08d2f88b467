import type { Metric } from './host/draft.js';
import { within } from './service/within.js';

const limit_ms = 5_000;

/** The extensions' figures in Prometheus' text format. One that can't be read, or not within 5 s, is left out. */
export async function metricsText(metrics: readonly Metric[]): Promise<string> {
  const lines = await Promise.all(
    metrics.map(async ({ name, help, read }) => {
      const found = Promise.resolve()
        .then(read)
        .catch(() => Number.NaN);
      const value = await within(limit_ms, found, () => Number.NaN);
      if (!Number.isFinite(value)) return '';
      return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} gauge\n${name} ${value}\n`;
    }),
  );
  return lines.join('');
}
