import { type Align, oneLine, widthOf } from './cells.js';
import type { Kind } from './text.js';

/** One column of a list. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | undefined | null;
  /** Fixed width. Default: the width of the content. */
  width?: number | undefined;
  /** Takes the remaining width. */
  grow?: boolean | undefined;
  align?: Align | undefined;
  colour?: (row: Row) => Exclude<Kind, 'strong'> | undefined;
}

/** Blanks between two columns. */
export const gap = 2;
const min = 4;
const widest = 32;

/** Returns the width of each column within `room`; 0 for trailing columns that don't fit. */
export function layOut<Row>(columns: readonly Column<Row>[], rows: readonly Row[], room: number): number[] {
  const wanted = columns.map((column) => column.width ?? natural(column, rows));
  const widths = wanted.slice(0, fittingCount(wanted, room));
  while (total(widths) > room) {
    const at = shrinkable(columns, widths);
    widths[at] = (widths[at] ?? 0) - 1;
  }
  spread(columns, widths, room - total(widths));
  return columns.map((_column, index) => widths[index] ?? 0);
}

function natural<Row>({ title, value, grow }: Column<Row>, rows: readonly Row[]): number {
  const width = Math.max(widthOf(title), ...rows.map((row) => widthOf(oneLine(value(row)))));
  return grow ? width : Math.min(width, widest);
}

/** Returns how many columns fit at their minimum width. */
function fittingCount(wanted: readonly number[], room: number): number {
  let used = -gap;
  for (const [index, width] of wanted.entries()) {
    used += gap + Math.min(width, min);
    if (used > room) return Math.max(1, index);
  }
  return wanted.length;
}

/** Returns the column to shrink next: the widest, growing ones first. */
function shrinkable<Row>(columns: readonly Column<Row>[], widths: readonly number[]): number {
  const rank = (index: number) => ((widths[index] ?? 0) > min && columns[index]?.grow ? 10_000 : 0) + (widths[index] ?? 0);
  return widths.reduce((best, _width, index) => (rank(index) > rank(best) ? index : best), 0);
}

function spread<Row>(columns: readonly Column<Row>[], widths: number[], free: number): void {
  const growing = widths.map((_width, index) => index).filter((index) => columns[index]?.grow);
  for (const [turn, index] of growing.entries()) {
    const share = Math.floor(free / growing.length) + (turn < free % growing.length ? 1 : 0);
    widths[index] = (widths[index] ?? 0) + share;
  }
}

const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
