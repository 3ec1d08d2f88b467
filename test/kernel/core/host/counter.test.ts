import t from 'tap';
import { LabelledCounter } from '../../../../kernel/core/catalog/counter.js';
import { metricsText } from '../../../../kernel/platform/metrics-text.js';

t.test('a counter counts fifty label values separately and the rest as other', (t) => {
  const counter = new LabelledCounter('platform_x_runs_total', 'Runs', 'status');
  for (let at = 0; at < 60; at += 1) counter.add(`value-${at}`);
  counter.add('value-0', 2);
  t.equal(counter.counts.get('value-0'), 3);
  t.equal(counter.counts.get('other'), 10);
  t.equal(counter.counts.size, 51);
  t.end();
});

t.test('counters and gauges use the Prometheus text format', async (t) => {
  const counter = new LabelledCounter('platform_x_runs_total', 'Runs\nthat "ended"', 'status');
  counter.add('a "quoted"\\one', 2);
  const metrics = [
    { name: 'platform_x_open', help: 'Open', read: () => 3 },
    { name: 'platform_x_seen_total', help: 'Seen', read: async () => 4 },
    { name: 'platform_x_broken', help: 'Broken', read: () => Promise.reject(new Error('no')) },
  ];
  t.equal(
    await metricsText([{ metrics, counters: [counter] }]),
    [
      '# HELP platform_x_open Open',
      '# TYPE platform_x_open gauge',
      'platform_x_open 3',
      '# HELP platform_x_seen_total Seen',
      '# TYPE platform_x_seen_total counter',
      'platform_x_seen_total 4',
      '# HELP platform_x_runs_total Runs\\nthat "ended"',
      '# TYPE platform_x_runs_total counter',
      'platform_x_runs_total{status="a \\"quoted\\"\\\\one"} 2',
      '',
    ].join('\n'),
  );
});
