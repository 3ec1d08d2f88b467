import type { HighlightPiece } from '../contract.js';
import { isHighSurrogate } from '../text.js';
import type { Range } from './query.js';

/** How much is shown, and how much of it before the first place that was found, in UTF-16 units. */
const shown = 240;
const before = 60;

/** The part of a text around the first place that was found, cut up by what was found. Joined, it is a part of the text. */
export function highlight(text: string, ranges: readonly Range[]): HighlightPiece[] {
  const first = ranges[0]?.start ?? 0;
  const start = first <= before ? 0 : startOf(text, first - before, first);
  const end = cut(text, Math.min(text.length, start + shown));
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

/** Neighbours of one kind are one piece. */
function add(pieces: HighlightPiece[], text: string, match: boolean): void {
  const last = pieces.at(-1);
  if (text === '') return;
  if (last?.match === match) last.text += text;
  else pieces.push({ text, match });
}

/** After the next white space, where there is some before `limit`. */
function startOf(text: string, earliest: number, limit: number): number {
  const space = text.slice(earliest, limit).search(/\s\S/);
  return space === -1 ? cut(text, earliest) : earliest + space + 1;
}

/** Not between the two halves of a character. */
function cut(text: string, place: number): number {
  return place > 0 && place < text.length && isHighSurrogate(text, place - 1) ? place - 1 : place;
}
