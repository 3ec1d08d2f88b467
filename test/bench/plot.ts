import { LogAxis } from './log-axis.js';

export interface Series {
  name: string;
  points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  title: string;
  /** Labels of the axes. */
  x: string;
  y: string;
  series: readonly Series[];
}

const width = 640;
const height = 400;
const left = 76;
const right = width - 40;
const top = 44;
const bottom = height - 84;
const looks = [
  { colour: '#1f5fbf', dash: '' },
  { colour: '#c2571a', dash: '6 4' },
  { colour: '#3b7d3b', dash: '2 3' },
  { colour: '#8a4fa3', dash: '8 3 2 3' },
] as const;

/** An SVG document with a line for each of up to four series; both axes are logarithmic. Points that aren't above 0 are left out; fails where none is left. */
export function svgOf({ title, x, y, series }: Plot): string {
  const shown = series.map(({ name, points }) => ({ name, points: points.filter((point) => point.every((value) => value > 0)) }));
  const points = shown.flatMap((one) => one.points);
  if (points.length === 0) throw new Error(`The plot '${title}' has no point above 0`);
  const across = new LogAxis(
    points.map(([value]) => value),
    [left, right],
  );
  const up = new LogAxis(
    points.map(([, value]) => value),
    [bottom, top],
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(title, { x: width / 2, y: 24, anchor: 'middle', size: 15 }),
    ...across.ticks.flatMap((tick) => tickAcross(tick, across.at(tick))),
    ...up.ticks.flatMap((tick) => tickUp(tick, up.at(tick))),
    text(x, { x: (left + right) / 2, y: bottom + 38, anchor: 'middle' }),
    text(y, { x: 16, y: (top + bottom) / 2, anchor: 'middle', turned: true }),
    ...shown.flatMap((one, index) => lineOf(one, { index, across, up })),
    ...shown.flatMap(({ name }, index) => legend(name, index)),
    '</svg>\n',
  ].join('\n');
}

function tickAcross(tick: number, at: number): string[] {
  return [
    `<line x1="${place(at)}" y1="${top}" x2="${place(at)}" y2="${bottom}" stroke="#ddd"/>`,
    text(number(tick), { x: at, y: bottom + 18, anchor: 'middle' }),
  ];
}

function tickUp(tick: number, at: number): string[] {
  return [
    `<line x1="${left}" y1="${place(at)}" x2="${right}" y2="${place(at)}" stroke="#ddd"/>`,
    text(number(tick), { x: left - 8, y: at + 4, anchor: 'end' }),
  ];
}

function lineOf({ points }: Series, { index, across, up }: { index: number; across: LogAxis; up: LogAxis }): string[] {
  const { colour, dash } = lookOf(index);
  const places = [...points].sort(([a], [b]) => a - b).map(([x, y]) => [place(across.at(x)), place(up.at(y))] as const);
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`,
    ...places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}"/>`),
  ];
}

function legend(name: string, index: number): string[] {
  const { colour, dash } = lookOf(index);
  const [x, y] = [left + (index % 2) * 270, height - 28 + Math.floor(index / 2) * 18];
  return [
    `<line x1="${x}" y1="${y}" x2="${x + 28}" y2="${y}" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`,
    text(name, { x: x + 36, y: y + 4, anchor: 'start' }),
  ];
}

function lookOf(index: number): { colour: string; dash: string } {
  return looks[index % looks.length] as (typeof looks)[number];
}

interface TextLook {
  x: number;
  y: number;
  anchor: 'start' | 'middle' | 'end';
  size?: number;
  /** Reads upwards. */
  turned?: boolean;
}

function text(content: string, { x, y, anchor, size = 12, turned = false }: TextLook): string {
  const turn = turned ? ` transform="rotate(-90 ${place(x)} ${place(y)})"` : '';
  return `<text x="${place(x)}" y="${place(y)}" text-anchor="${anchor}" font-size="${size}"${turn}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function place(at: number): number {
  return Number(at.toFixed(1));
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
