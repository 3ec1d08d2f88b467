import { type FillOptions, fill, type Line, paint, type Run } from './fill.js';

export interface TableCell {
  runs: readonly Run[];
  align: 'left' | 'right' | 'center';
}

export interface TableOptions {
  width: number;
  color: boolean;
}

/** Minimum of a column; a table with more columns than fit is written as records. */
const min_column = 4;
const separator = ' │ ';

/** Formats a table whose first row is the heading. Columns that are too wide share the room, and their cells are wrapped. */
export function tableLines(rows: readonly TableCell[][], { width, color }: TableOptions): string[] {
  const [heading = []] = rows;
  const room = width - separator.length * (heading.length - 1);
  if (room < heading.length * min_column) return recordLines(rows, { width, breaksWords: true });
  const unwrapped = rows.map((row) => heading.map((_cell, column) => unbroken(row[column])));
  const natural = heading.map((_cell, column) => unwrapped.reduce((widest, row) => Math.max(widest, widthOf(row[column])), 1));
  const widths = sharedOut(natural, room);
  const drawn = rows.map((row, at) => rowLines(row, unwrapped[at] ?? [], { widths, color }));
  const rule = paint(widths.map((columns) => '─'.repeat(columns)).join('─┼─'), color ? '2' : '');
  const isWrapped = drawn.slice(1).some((lines) => lines.length > 1);
  return drawn.flatMap((lines, index) => (index === 1 || (isWrapped && index > 1) ? [rule, ...lines] : lines));
}

/** Returns the lines of a cell that has all the room it needs. */
function unbroken(cell: TableCell | undefined): readonly Line[] {
  return fill(cell?.runs ?? [], { width: Number.POSITIVE_INFINITY, breaksWords: false });
}

function widthOf(lines: readonly Line[] = []): number {
  return lines.reduce((widest, { width }) => Math.max(widest, width), 0);
}

/** Returns the widths of columns: narrow ones get what they need, the others equal shares of what remains. */
function sharedOut(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let left = room;
  const narrowFirst = [...natural.keys()].sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  for (const [index, column] of narrowFirst.entries()) {
    widths[column] = Math.min(natural[column] ?? 0, Math.floor(left / (natural.length - index)));
    left -= widths[column] ?? 0;
  }
  return widths;
}

interface Layout {
  widths: readonly number[];
  color: boolean;
}

function rowLines(row: readonly TableCell[], unwrapped: readonly (readonly Line[])[], { widths, color }: Layout): string[] {
  const cells = widths.map((width, column) => {
    const lines = unwrapped[column] ?? [];
    return widthOf(lines) <= width ? lines : fill(row[column]?.runs ?? [], { width, breaksWords: true });
  });
  const height = Math.max(...cells.map(({ length }) => length));
  const bar = color ? paint(separator, '2') : separator;
  return Array.from({ length: height }, (_line, at) =>
    widths
      .map((width, column) => aligned(cells[column]?.[at], { width, align: row[column]?.align ?? 'left' }))
      .join(bar)
      .trimEnd(),
  );
}

function aligned(line: Line | undefined, { width, align }: { width: number; align: TableCell['align'] }): string {
  const room = Math.max(0, width - (line?.width ?? 0));
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(before) + (line?.text ?? '') + ' '.repeat(room - before);
}

/** Formats each row as lines of `heading: value`. */
function recordLines([heading = [], ...rows]: readonly TableCell[][], options: FillOptions): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.flatMap(({ runs }, column) =>
      fill([...(heading[column]?.runs ?? []), { text: ': ', codes: '' }, ...runs], options).map(({ text }) => text),
    ),
  ]);
}
