import t from 'tap';
import { LogAxis } from './log-axis.js';
import { svgOf } from './plot.js';

t.test('a logarithmic axis gives each power of ten the same width', (t) => {
  const axis = new LogAxis([100, 100_000], [0, 300]);
  t.same(axis.ticks, [100, 1_000, 10_000, 100_000]);
  t.same(
    axis.ticks.map((tick) => Math.round(axis.at(tick))),
    [0, 100, 200, 300],
  );
  t.equal(Math.round(new LogAxis([1, 1_000], [300, 0]).at(10)), 200, 'an axis that runs upwards is logarithmic too');
  t.end();
});

t.test('ticks enclose the values and are close to them', (t) => {
  t.same(new LogAxis([6, 100], [0, 1]).ticks, [5, 10, 20, 50, 100]);
  t.same(new LogAxis([1, 2_000], [0, 1]).ticks, [1, 10, 100, 1_000, 10_000]);
  t.same(new LogAxis([0.3, 0.4], [0, 1]).ticks, [0.2, 0.5]);
  t.same(new LogAxis([100], [0, 1]).ticks, [100, 200], 'a single value has an axis too');
  t.same(new LogAxis([150, 180], [0, 1]).ticks, [100, 200]);
  t.end();
});

const plot = {
  title: 'a < b & c',
  x: 'members',
  y: 'µs',
  series: [
    {
      name: 'the platform',
      points: [
        [100_000, 300],
        [100, 150],
        [1_000, 0],
      ] as const,
    },
    {
      name: 'its limit',
      points: [
        [100, 100],
        [100_000, 100],
      ] as const,
    },
  ],
};

t.test('a plot has both series in order of size, ticks, axis names and a legend', (t) => {
  const svg = svgOf(plot);
  t.match(svg, '<title>a &lt; b &amp; c</title>', 'readers of a screen hear its title');
  const lines = [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points]) =>
    points?.split(' ').map((point) => point.split(',').map(Number)),
  );
  t.same(
    lines.map((line) => line?.length),
    [2, 2],
    'a point at 0 is not on a logarithmic axis',
  );
  const [ours, limit] = lines as [number[], number[]][];
  t.same([ours?.[0]?.[0], ours?.[1]?.[0]], [76, 600], 'the line spans the plot from edge to edge');
  t.ok((ours?.[1]?.[1] ?? 0) < (ours?.[0]?.[1] ?? 0), 'larger values are drawn higher');
  t.equal(limit?.[0]?.[1], limit?.[1]?.[1], 'equal values are drawn as a level line');
  for (const words of ['a &lt; b &amp; c', 'members', 'µs', 'the platform', 'its limit', '>100<', '>100,000<', '>200<'])
    t.match(svg, words);
  t.equal(svg.match(/<circle/g)?.length, 4);
  t.end();
});

t.test('the same figures yield the same bytes', (t) => {
  t.equal(svgOf(plot), svgOf(plot));
  t.end();
});

t.test('a plot without points says so', (t) => {
  t.throws(() => svgOf({ ...plot, series: [{ name: 'none', points: [[1, Number.NaN]] }] }), {
    message: "The plot 'a < b & c' has no point above 0",
  });
  t.end();
});
