import { useState } from 'react';

/** Which of the rows is chosen, and which of them are seen. */
export interface Selection<Row> {
  row: Row | undefined;
  /** Its place among the rows; 0 where there are none. */
  index: number;
  /** The first one that is seen. */
  top: number;
  /** Chooses the one that lies so many further on, or back. */
  move: (by: number) => void;
}

export interface SelectionOptions<Row> {
  idOf: (row: Row) => string | number;
  /** How many rows are seen at once. */
  room: number;
  /** Whether the first place stays chosen, whatever comes to it. */
  follow: boolean;
}

interface Place {
  id: string | number | undefined;
  index: number;
  top: number;
}

/** Keeps a row chosen while the rows change around it; where it goes, what has come to its place. */
export function useSelection<Row>(rows: readonly Row[], options: SelectionOptions<Row>): Selection<Row> {
  const [place, setPlace] = useState<Place>({ id: undefined, index: 0, top: 0 });
  const at = (before: Place): Place => placeOf(rows, before, options);
  const now = at(place);
  const move = (by: number) => setPlace((before) => at({ ...at(before), id: undefined, index: clamp(at(before).index + by, rows.length) }));
  return { row: rows[now.index], index: now.index, top: now.top, move };
}

function placeOf<Row>(rows: readonly Row[], { id, index, top }: Place, { idOf, room, follow }: SelectionOptions<Row>): Place {
  const found = id === undefined ? -1 : rows.findIndex((row) => idOf(row) === id);
  const now = clamp(found === -1 ? index : found, rows.length);
  const row = rows[now];
  const first = Math.max(0, Math.min(Math.max(top, now - room + 1), now, rows.length - room));
  const isLoose = row === undefined || (follow && now === 0);
  return { id: isLoose ? undefined : idOf(row), index: now, top: first };
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}
