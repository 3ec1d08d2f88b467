import { type Align, oneLine, widthOf } from './cells.js';
import type { Kind } from './text.js';

/** One column of a list. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | undefined | null;
  /** Exactly so wide. Default: as wide as what stands in it. */
  width?: number | undefined;
  /** Takes what room is left. */
  grow?: boolean | undefined;
  align?: Align | undefined;
  colour?: (row: Row) => Exclude<Kind, 'strong'> | undefined;
}

/** Between two columns. */
export const gap = 2;
const min = 4;
const widest = 32;

/** How wide each column becomes within `room`; 0 for those at the end that find no place. */
export function layOut<Row>(columns: readonly Column<Row>[], rows: readonly Row[], room: number): number[] {
  const wanted = columns.map((column) => column.width ?? natural(column, rows));
  const kept = placed(wanted, room);
  const shown = wanted.slice(0, kept);
  while (total(shown) > room) {
    const at = shrinkable(columns, shown);
    shown[at] = (shown[at] ?? 0) - 1;
  }
  spread(columns, shown, room - total(shown));
  return columns.map((_column, index) => shown[index] ?? 0);
}

function natural<Row>({ title, value, grow }: Column<Row>, rows: readonly Row[]): number {
  const width = Math.max(widthOf(title), ...rows.map((row) => widthOf(oneLine(value(row)))));
  return grow ? width : Math.min(width, widest);
}

/** How many columns find a place at all. */
function placed(wanted: readonly number[], room: number): number {
  let used = -gap;
  for (const [index, width] of wanted.entries()) {
    used += gap + Math.min(width, min);
    if (used > room) return Math.max(1, index);
  }
  return wanted.length;
}

/** The one that gives way: the widest, those that grow before the others. */
function shrinkable<Row>(columns: readonly Column<Row>[], shown: readonly number[]): number {
  const rank = (index: number) => ((shown[index] ?? 0) > min && columns[index]?.grow ? 10_000 : 0) + (shown[index] ?? 0);
  return shown.reduce((best, _width, index) => (rank(index) > rank(best) ? index : best), 0);
}

function spread<Row>(columns: readonly Column<Row>[], shown: number[], free: number): void {
  const growing = shown.map((_width, index) => index).filter((index) => columns[index]?.grow);
  for (const [turn, index] of growing.entries()) {
    const share = Math.floor(free / growing.length) + (turn < free % growing.length ? 1 : 0);
    shown[index] = (shown[index] ?? 0) + share;
  }
}

const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
