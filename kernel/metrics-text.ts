import type { Metric } from './host/draft.js';

/** The extensions' figures in Prometheus' text format. One that can't be read is left out. */
export async function metricsText(metrics: readonly Metric[]): Promise<string> {
  const lines = await Promise.all(
    metrics.map(async ({ name, help, read }) => {
      const value = await Promise.resolve()
        .then(read)
        .catch(() => Number.NaN);
      if (!Number.isFinite(value)) return '';
      return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} gauge\n${name} ${value}\n`;
    }),
  );
  return lines.join('');
}
