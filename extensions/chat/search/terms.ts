import { max_searched_text } from '../text.js';
import { type Piece, Pieces } from './pieces.js';

/** Limits of the terms of a message, by number and in bytes: PostgreSQL accepts less than 1 MiB in a row. */
const max_terms = 16_384;
const max_bytes = 800_000;
/** Bytes that a row takes for a term besides its letters, at most. */
const overhead_bytes = 24;
/** Length of the indexed part of a word; the rest is compared in the text. */
const max_term_length = 24;

/** Returns the units of the indexed part of a message. */
export function piecesOf(content: string): Piece[] {
  return new Pieces(content.slice(0, max_searched_text)).all();
}

/**
 * Returns what the index stores for a message: its words, and each sign together with the sign that joins it. `times`: how often a row
 * stores each term.
 */
export function termsOf(content: string, times: number): string[] {
  const terms = new Set<string>();
  const pieces = piecesOf(content);
  let bytes = 0;
  for (let index = 0; index < pieces.length; index += 1) {
    const term = termAt(pieces, index);
    if (terms.has(term)) continue;
    bytes += (term.length * 3 + overhead_bytes) * times;
    if (terms.size >= max_terms || bytes > max_bytes) break;
    terms.add(term);
  }
  return [...terms];
}

function termAt(pieces: readonly Piece[], index: number): string {
  const { text, sign } = pieces[index] as Piece;
  const next = pieces[index + 1];
  return sign && next?.joined ? pairTerm(text, next.text) : termOf(text);
}

/** Returns the index form of a word or sign. */
export function termOf(text: string): string {
  return text.length <= max_term_length ? text : text.slice(0, max_term_length).toWellFormed();
}

/** Returns the index form of two adjacent signs. */
export function pairTerm(one: string, next: string): string {
  return termOf(one) + termOf(next);
}
