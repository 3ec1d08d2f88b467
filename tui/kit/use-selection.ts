import { useState } from 'react';

/** The selected row, and the first visible one. */
export interface Selection<Row> {
  row: Row | undefined;
  /** Index of the selected row; 0 if there are none. */
  index: number;
  /** Index of the first visible row. */
  top: number;
  /** Moves the selection by a number of rows; negative moves up. */
  move: (by: number) => void;
}

export interface SelectionOptions<Row> {
  idOf: (row: Row) => string | number;
  /** Number of visible rows. */
  room: number;
  /** Whether the first position stays selected as rows change. */
  follow: boolean;
}

interface Position {
  id: string | number | undefined;
  index: number;
  top: number;
}

/** Keeps a row selected while the rows change; if it disappears, the row at its position is selected. */
export function useSelection<Row>(rows: readonly Row[], options: SelectionOptions<Row>): Selection<Row> {
  const [position, setPosition] = useState<Position>({ id: undefined, index: 0, top: 0 });
  const at = (before: Position): Position => positionIn(rows, before, options);
  const now = at(position);
  const move = (by: number) =>
    setPosition((before) => at({ ...at(before), id: undefined, index: clamp(at(before).index + by, rows.length) }));
  return { row: rows[now.index], index: now.index, top: now.top, move };
}

function positionIn<Row>(rows: readonly Row[], { id, index, top }: Position, { idOf, room, follow }: SelectionOptions<Row>): Position {
  const found = id === undefined ? -1 : rows.findIndex((row) => idOf(row) === id);
  const now = clamp(found === -1 ? index : found, rows.length);
  const row = rows[now];
  const first = Math.max(0, Math.min(Math.max(top, now - room + 1), now, rows.length - room));
  const isByPosition = row === undefined || (follow && now === 0);
  return { id: isByPosition ? undefined : idOf(row), index: now, top: first };
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}
