import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { until } from '../helpers/eventually.js';
import { startPlatform } from '../helpers/platform.js';

interface Dashboard {
  panels: { title: string; gridPos: { x: number; y: number; w: number; h: number }; targets: { expr: string }[] }[];
}

const read = (name: string) => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

/** The names of metrics that an expression of PromQL asks for. */
function namesIn(expression: string): string[] {
  return [...expression.replace(/"[^"]*"/g, '').matchAll(/\b(?:platform|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
}

/** Existing metrics, with the series of histograms. */
async function metricsOf(url: string): Promise<Map<string, string>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name as string, type as string]));
  for (const [name, type] of types) if (type === 'histogram') types.set(`${name}_bucket`, 'counter');
  return types;
}

t.test('the dashboard and the alerts use existing metrics only', async (t) => {
  const { url } = await startPlatform(t);
  // The delay of the event loop is told once it was measured between two readings.
  const types = await until(
    () => metricsOf(url),
    (found) => found.has('nodejs_eventloop_lag_p99_seconds'),
  );
  const { panels } = JSON.parse(read('grafana.json')) as Dashboard;
  const { groups } = parse(read('alerts.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const asked = [
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))),
    ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ title: alert, expr }))),
  ];
  t.ok(asked.length > 20, 'the panels have been read');
  for (const { title, expr } of asked) {
    for (const name of namesIn(expr)) {
      t.ok(types.has(name), `${title}: the metric ${name} exists`);
      t.equal(types.get(name) === 'counter', /rate\(|increase\(/.test(expr), `${title}: ${name} is a counter where its rate is asked for`);
    }
  }
  for (const [name, type] of types)
    t.equal(name.endsWith('_total') || name.endsWith('_bucket'), type === 'counter', `${name} is named as a ${type}`);
});

t.test('no panels overlap', (t) => {
  const { panels } = JSON.parse(read('grafana.json')) as Dashboard;
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  t.equal(new Set(cells).size, cells.length);
  t.end();
});
