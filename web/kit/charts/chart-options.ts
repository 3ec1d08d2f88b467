import type uPlot from 'uplot';
import { colourReader } from './colours.js';

interface Wanted {
  element: HTMLElement;
  labels: readonly string[];
  height: number;
  max: number | undefined;
  write: (value: number) => string;
  /** BCP 47 tag and time zone of the axis. */
  locale: string;
  zone: string;
  /** Returns a date whose local fields are those of a zone, by which the axis finds whole hours and days. */
  tzDate: typeof uPlot.tzDate;
}

/** Roles for the lines, in their order. */
const line_roles = ['--accent', '--warn', '--code-word', '--ok', '--danger', '--text-quiet'];
const axis_width = 56;
const time_height = 26;
const day_s = 86_400;
const single_s = 60;

/** Returns how a chart looks, in the colours of the theme that is in force now. */
export function chartOptions({ element, labels, height, max, write, locale, zone, tzDate }: Wanted): uPlot.Options {
  const colour = colourReader(element);
  const [quiet, line] = [colour('--text-quiet'), colour('--line')];
  const times = axisTimes(locale, zone);
  const exact = new Intl.DateTimeFormat(locale, { timeZone: zone, dateStyle: 'medium', timeStyle: 'short' });
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: quiet, font, ticks: { show: false }, grid: { stroke: line, width: 1 } };
  return {
    width: element.clientWidth || 300,
    height,
    cursor: { y: false, points: { size: 6 } },
    legend: { live: true },
    scales: {
      // A single point has no span of its own.
      x: { range: (_chart, low, high) => (high - low < 1 ? [low - single_s, high + single_s] : [low, high]) },
      y: { range: (_chart, _low, high) => [0, max ?? (high > 0 ? high * 1.1 : 1)] },
    },
    axes: [
      {
        ...axis,
        size: time_height,
        grid: { show: false },
        space: 70,
        values: (...[, seconds, , , step]) => times(seconds, step),
      },
      { ...axis, size: axis_width, space: 40, values: (_chart, values) => values.map(write) },
    ],
    tzDate: (seconds) => tzDate(new Date(seconds * 1_000), zone),
    series: [
      { value: (_chart: uPlot, seconds: number | null) => (seconds === null ? '' : exact.format(seconds * 1_000)) },
      ...labels.map((label, place) => ({
        label,
        stroke: colour(line_roles[place % line_roles.length] ?? '--accent'),
        width: 1.5,
        spanGaps: false,
        points: { show: false },
        // Where nothing is pointed at, the legend has the latest value.
        value: (chart: uPlot, value: number | null, row: number, column: number | null) => {
          const values = chart.data[row] as readonly (number | null | undefined)[] | undefined;
          const shown = column === null ? values?.findLast((each) => typeof each === 'number') : value;
          return typeof shown === 'number' ? write(shown) : '–';
        },
      })),
    ],
  };
}

type WriteTimes = (seconds: readonly number[], step_s: number) => string[];

/** Returns a function that writes the times of the axis: the clock, or the days where a step is a day or more. */
function axisTimes(locale: string, timeZone: string): WriteTimes {
  const clock = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = new Intl.DateTimeFormat(locale, { timeZone, day: 'numeric', month: 'short' });
  return (seconds, step_s) => seconds.map((each) => (step_s >= day_s ? day : clock).format(each * 1_000));
}
