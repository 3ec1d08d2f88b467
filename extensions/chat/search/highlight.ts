import type { HighlightPiece } from '../contract.js';
import { isHighSurrogate } from '../text.js';
import type { Range } from './query.js';

/** Length of the excerpt, and of its part before the first match, in UTF-16 units. */
const excerpt_length = 240;
const before = 60;

/** Returns an excerpt around the first match, split into matches and other parts. Joined, the pieces are a part of the text. */
export function highlight(text: string, ranges: readonly Range[]): HighlightPiece[] {
  const first = ranges[0]?.start ?? 0;
  const start = first <= before ? 0 : startOf(text, first - before, first);
  const end = cut(text, Math.min(text.length, start + excerpt_length));
  const pieces: HighlightPiece[] = [];
  let place = start;
  for (const range of ranges) {
    const from = Math.max(range.start, place);
    const to = Math.min(range.end, end);
    if (from >= to) continue;
    add(pieces, text.slice(place, from), false);
    add(pieces, text.slice(from, to), true);
    place = to;
  }
  add(pieces, text.slice(place, end), false);
  return pieces;
}

/** Appends text, merged with the last piece if both are of the same kind. */
function add(pieces: HighlightPiece[], text: string, match: boolean): void {
  const last = pieces.at(-1);
  if (text === '') return;
  if (last?.match === match) last.text += text;
  else pieces.push({ text, match });
}

/** Returns the position after the next white space, if there is one before `limit`. */
function startOf(text: string, earliest: number, limit: number): number {
  const space = text.slice(earliest, limit).search(/\s\S/);
  return space === -1 ? cut(text, earliest) : earliest + space + 1;
}

/** Moves a position that is within a surrogate pair. */
function cut(text: string, place: number): number {
  return place > 0 && place < text.length && isHighSurrogate(text, place - 1) ? place - 1 : place;
}
